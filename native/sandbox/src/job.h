/*
 * The job of a sandbox: all that makes a container, or a program run in one.
 *
 * It comes on the control socket, never in arguments or variables, which other users of the machine can read. The form is
 * binary: "TSBX", a version, the length of the body, and records of a tag, the length of the content and the content; all
 * numbers have four bytes, little endian. Texts end with their only NUL. Every record is checked against a table: unknown tags,
 * wrong sizes, too many records of a tag and bytes that are left over are errors. Nothing is done before the whole job is valid.
 */
#ifndef SANDBOX_JOB_H
#define SANDBOX_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment and arguments of a program have 2 MiB on most systems. */
#define MAX_JOB (8u << 20)
#define MAX_LAYERS 200
#define JOB_VERSION 1u
#define NO_DESCRIPTOR (-1)
/* The first descriptor after the control socket; mounts may name this one and those after it. */
#define FIRST_DESCRIPTOR 4
#define MAX_DESCRIPTOR 1024

enum job_mode { MODE_RUN, MODE_EXEC, MODE_HOLD };

enum job_flag {
  FLAG_TERMINAL = 1 << 0,
  FLAG_READ_ONLY_ROOT = 1 << 1,
  /* Nothing in /proc is masked, and no capability is dropped. */
  FLAG_PRIVILEGED = 1 << 2,
  FLAG_NO_NEW_PRIVILEGES = 1 << 3,
  /* This process is in a user namespace, which its arguments named. */
  FLAG_USER_NAMESPACE = 1 << 4,
  /* That user namespace has one user: another one needs one more namespace. */
  FLAG_SINGLE_ID = 1 << 5,
  /* The caller resolved all links in mount points: those that are found were put there since. */
  FLAG_RESOLVED_PATHS = 1 << 6,
  /* Make the working folder where it is missing. */
  FLAG_MAKE_WORKING_FOLDER = 1 << 7,
  ALL_FLAGS = (1 << 8) - 1,
};

enum mount_kind {
  /* A folder or file of the machine. */
  MOUNT_BIND,
  /* A folder over others, all read-only. */
  MOUNT_LAYERED,
  /* An empty, read-only folder or file, where there is one to be covered. */
  MOUNT_COVER,
  MOUNT_KINDS,
};

enum mount_flag {
  MOUNT_READ_ONLY = 1 << 0,
  MOUNT_NO_PROGRAMS = 1 << 1,
  /* With all that is mounted below it. */
  MOUNT_RECURSIVE = 1 << 2,
  /* Make the mount point where it is missing. */
  MOUNT_MAKE_POINT = 1 << 3,
  ALL_MOUNT_FLAGS = (1 << 4) - 1,
};

struct mount {
  enum mount_kind kind;
  uint32_t flags;
  /* Open on the source, or NO_DESCRIPTOR. */
  int descriptor;
  const char *source;
  /* The lower folders of MOUNT_LAYERED, the uppermost first. */
  const char *under[MAX_LAYERS + 1];
  const char *target;
};

struct limit {
  uint32_t resource;
  uint64_t soft;
  uint64_t hard;
};

enum seccomp_mode { SECCOMP_DEFAULT, SECCOMP_NONE, SECCOMP_RULES };

/* Rules of a profile that the caller names. `content` is checked by seccomp.c. */
struct rule_record {
  const unsigned char *content;
  size_t length;
};

struct job {
  const char **arguments;
  const char **environment;
  const char *working_folder;
  const char *hostname;
  /* The root: a folder, or the mount point of an overlay when there are layers. */
  const char *root;
  const char **layers;
  const char *upper;
  const char *work;
  const char **cgroups;
  /* PATH=VALUE, the path relative to /proc/sys. */
  const char **sysctls;
  struct mount *mounts;
  size_t mount_count;
  struct limit *limits;
  size_t limit_count;
  uint32_t uid;
  uint32_t gid;
  uint32_t *groups;
  size_t group_count;
  uint64_t capabilities;
  uint32_t flags;
  /* A process whose PID namespace is joined; 0: a new one. */
  uint32_t processes_of;
  /* The first process of the container that is entered. */
  uint32_t target;
  /* An open network namespace, or NO_DESCRIPTOR. */
  int network;
  uint16_t rows;
  uint16_t columns;
  enum seccomp_mode seccomp;
  uint32_t seccomp_default;
  struct rule_record *rules;
  size_t rule_count;
};

/* NULL, or why the bytes are no valid job. The job points into the bytes. */
const char *job_parse(unsigned char *bytes, size_t length, enum job_mode mode, struct job *job);

/* Reads the job from the control socket; fails the process when there is no valid one. */
void job_read(enum job_mode mode, struct job *job);

#endif

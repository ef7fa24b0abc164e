/*
 * Makes a container, or runs a program in one, and stays as the process that waits for it.
 *
 *   sandbox run PARENT NAMESPACE FOLDER    a container from the job on descriptor 3
 *   sandbox exec PARENT NAMESPACE FOLDER   one more program in a running container
 *   sandbox hold PARENT NAMESPACE FOLDER   a PID namespace that containers share, until this process ends
 *   sandbox probe NAMESPACE                whether this machine can do that; errors as text
 *   sandbox check MODE                     whether the job on descriptor 3 is valid
 *
 * PARENT is the process that this one dies with. NAMESPACE describes the user namespace (namespaces.h). FOLDER has no use but to
 * show, in the list of processes, what a process belongs to.
 *
 * Flow of `run`: enter the user namespace; run again from a read-only mount of this program, so that nothing inside can write
 * it; read the job; make the PID namespace and its first process. That one makes the other namespaces, builds and enters the
 * root, gives up its rights and becomes the container's program. This one supervises.
 */
#include "job.h"
#include "kernel.h"
#include "namespaces.h"
#include "process.h"
#include "report.h"
#include "root.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

/* In the place of NAMESPACE when that was entered. */
#define ENTERED "entered"

static void die_with(const char *parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("prctl: %s", strerror(errno));
  /* It may have died before. */
  if (atol(parent) != (long)getppid()) _exit(EXIT_NOT_STARTED);
}

/* A copy of the mount of this program, which is found again in this mount namespace: the one that it was started from may not be. */
static int copy_of_program(void) {
  char path[PATH_MAX];
  struct stat running;
  struct stat found;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0 || stat("/proc/self/exe", &running) != 0) return -1;
  path[length] = '\0';
  int tree = kernel_open_tree(AT_FDCWD, path, TREE_CLONE | TREE_CLOEXEC);
  if (tree < 0 || kernel_mount_setattr(tree, 0, ATTRIBUTE_READ_ONLY) != 0) return -1;
  if (fstat(tree, &found) == 0 && found.st_dev == running.st_dev && found.st_ino == running.st_ino) return tree;
  errno = ESTALE;
  return -1;
}

/* A container could write the file that it was started from, by /proc/self/exe. Nothing can be written on a read-only mount. */
static void run_from_read_only_mount(char **arguments) {
  struct statvfs status;
  if (statvfs("/proc/self/exe", &status) == 0 && (status.f_flag & ST_RDONLY) != 0) return;
  if (strcmp(arguments[3], ENTERED) == 0) fail("the mount of this program cannot be made read-only");
  char *environment[] = {NULL};
  int program = copy_of_program();
  if (program < 0) fail("cannot make the mount of this program read-only: %s", strerror(errno));
  arguments[3] = (char *)ENTERED;
  syscall(SYS_execveat, program, "", arguments, environment, TREE_EMPTY_PATH);
  fail("cannot run this program from a read-only mount: %s", strerror(errno));
}

static void prepare(char **arguments) {
  const char *namespace = arguments[3];
  die_with(arguments[2]);
  if (strcmp(namespace, ENTERED) != 0 && strcmp(namespace, "none") != 0) {
    enter_user_namespace(namespace);
    die_with(arguments[2]);
    if (unshare(CLONE_NEWNS) != 0) fail("the kernel denies a mount namespace: %s", strerror(errno));
  }
  run_from_read_only_mount(arguments);
  if (fcntl(CONTROL, F_SETFD, FD_CLOEXEC) != 0) fail("there is no control socket");
}

/* Forks; in the child, `link_socket` leads to the parent. */
static pid_t fork_linked(int *link) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot make a socket: %s", strerror(errno));
  block_signals();
  pid_t child = fork();
  if (child < 0) fail("cannot fork: %s", strerror(errno));
  close(ends[child == 0 ? 0 : 1]);
  *link = ends[0];
  if (child == 0) link_socket = ends[1];
  return child;
}

/* Moves the link, and a descriptor to keep if there is one, to the lowest places, and closes all others. Returns the kept one. */
static int close_others(int kept) {
  int low = CONTROL + 1;
  int link = fcntl(link_socket, F_DUPFD_CLOEXEC, low + 2);
  int other = kept == NO_DESCRIPTOR ? NO_DESCRIPTOR : fcntl(kept, F_DUPFD_CLOEXEC, low + 2);
  if (link < 0 || dup3(link, low, O_CLOEXEC) < 0) fail("cannot move a descriptor: %s", strerror(errno));
  link_socket = low;
  if (kept != NO_DESCRIPTOR && (other < 0 || dup3(other, low + 1, O_CLOEXEC) < 0)) fail("cannot move a descriptor: %s", strerror(errno));
  if (kernel_close_range((unsigned)low + (kept == NO_DESCRIPTOR ? 1 : 2), 0) != 0) fail("cannot close descriptors: %s", strerror(errno));
  return kept == NO_DESCRIPTOR ? NO_DESCRIPTOR : low + 1;
}

static void die_with_supervisor(void) {
  char byte;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("prctl: %s", strerror(errno));
  if (recv(link_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) _exit(EXIT_NOT_STARTED);
}

static _Noreturn void run(void) {
  struct job job;
  int link;
  job_read(MODE_RUN, &job);
  if (job.processes_of != 0) join_namespace(job.processes_of, "pid");
  else if (unshare(CLONE_NEWPID) != 0) fail("the kernel denies a PID namespace: %s", strerror(errno));
  pid_t first = fork_linked(&link);
  if (first != 0) supervise(first, link);
  die_with_supervisor();
  join_cgroups(&job);
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) != 0) fail("the kernel denies namespaces: %s", strerror(errno));
  /* Kernels may lack it. */
  if (unshare(CLONE_NEWCGROUP) != 0 && errno != EINVAL) fail("the kernel denies a cgroup namespace: %s", strerror(errno));
  if (job.network != NO_DESCRIPTOR && setns(job.network, CLONE_NEWNET) != 0) fail("cannot enter the network of the Pod: %s", strerror(errno));
  set_sysctls(&job);
  if (job.hostname != NULL && sethostname(job.hostname, strlen(job.hostname)) != 0) fail("cannot set the hostname: %s", strerror(errno));
  enter_root(&job);
  become_program(&job, close_others(NO_DESCRIPTOR));
}

/* The machine's own may not be joined from a user namespace, and need not be. */
static bool is_in_namespace(int namespace, const char *name) {
  char path[64];
  struct stat own;
  struct stat other;
  snprintf(path, sizeof path, "/proc/self/ns/%s", name);
  return stat(path, &own) == 0 && fstat(namespace, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static _Noreturn void run_inside(void) {
  static const char *const names[] = {"cgroup", "ipc", "uts", "net", "pid", "mnt"};
  enum { COUNT = sizeof names / sizeof *names };
  struct job job;
  int namespaces[COUNT];
  int link;
  job_read(MODE_EXEC, &job);
  bool renamed = (job.flags & FLAG_SINGLE_ID) != 0 && (job.uid != 0 || job.gid != 0);
  int user_namespace = renamed ? open_namespace(job.target, "user") : NO_DESCRIPTOR;
  for (int i = 0; i < COUNT; i++) namespaces[i] = open_namespace(job.target, names[i]);
  join_cgroups(&job);
  for (int i = 0; i < COUNT; i++)
    if (!is_in_namespace(namespaces[i], names[i]) && setns(namespaces[i], 0) != 0) fail("cannot enter the %s namespace of the container: %s", names[i], strerror(errno));
  pid_t first = fork_linked(&link);
  if (first != 0) supervise(first, link);
  /* Other processes of the container see this one: they may neither trace it nor open its descriptors. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail("prctl: %s", strerror(errno));
  die_with_supervisor();
  become_program(&job, close_others(user_namespace));
}

/* Reaps what containers leave, until it is killed. */
static _Noreturn void hold(void) {
  struct job job;
  int link;
  job_read(MODE_HOLD, &job);
  if (unshare(CLONE_NEWPID) != 0) fail("the kernel denies a PID namespace: %s", strerror(errno));
  pid_t first = fork_linked(&link);
  if (first != 0) supervise(first, link);
  die_with_supervisor();
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  char running = LINK_RUNNING;
  if (send(link_socket, &running, 1, MSG_NOSIGNAL) != 1) _exit(EXIT_NOT_STARTED);
  kernel_close_range(0, 0);
  for (;;) {
    int number;
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    sigwait(&children, &number);
  }
}

static _Noreturn void probe_failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  _exit(1);
}

static int probe(const char *namespace) {
  if (strcmp(namespace, "none") != 0) {
    if (unshare(CLONE_NEWUSER) != 0) probe_failed("user namespace");
  }
  if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) != 0) probe_failed("mount, PID, IPC and UTS namespaces");
  pid_t child = fork();
  if (child < 0) probe_failed("fork");
  if (child == 0) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) probe_failed("private mounts");
    if (copy_of_program() < 0) probe_failed("read-only mounts (they need Linux 5.12 or later)");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) probe_failed("a new /proc");
    _exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child) probe_failed("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int check(const char *name) {
  struct job job;
  enum job_mode mode = strcmp(name, "run") == 0 ? MODE_RUN : strcmp(name, "exec") == 0 ? MODE_EXEC : MODE_HOLD;
  job_read(mode, &job);
  return 0;
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (count == 3 && strcmp(mode, "probe") == 0) _exit(probe(arguments[2]));
  if (count == 3 && strcmp(mode, "check") == 0) _exit(check(arguments[2]));
  void (*action)(void) = strcmp(mode, "run") == 0 ? run : strcmp(mode, "exec") == 0 ? run_inside : strcmp(mode, "hold") == 0 ? hold : NULL;
  if (count != 5 || action == NULL) {
    fputs("This program is started by tektite, with a job on descriptor 3. It makes containers.\n", stderr);
    return 2;
  }
  prepare(arguments);
  action();
}

#include "namespace.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) fail_errno(NO_NAMESPACE, "write", path);
  close(fd);
}

/* The root of the namespace is this user; there is no other. */
static void map_one(uid_t uid, gid_t gid) {
  char line[64];
  write_file("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "0 %u 1\n", (unsigned)uid);
  write_file("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "0 %u 1\n", (unsigned)gid);
  write_file("/proc/self/gid_map", line);
}

static void run_mapper(const char *program, pid_t target, unsigned own, const char *range) {
  char pid[16], outside[16], start[16], count[16];
  unsigned first, number;
  if (sscanf(range, "%u:%u", &first, &number) != 2 || number == 0) fail(NO_NAMESPACE, "%s is not START:COUNT", range);
  snprintf(pid, sizeof pid, "%d", (int)target);
  snprintf(outside, sizeof outside, "%u", own);
  snprintf(start, sizeof start, "%u", first);
  snprintf(count, sizeof count, "%u", number);
  pid_t child = fork();
  if (child < 0) fail_errno(NO_NAMESPACE, "start", program);
  if (child == 0) {
    execlp(program, program, pid, "0", outside, "1", "1", start, count, (char *)NULL);
    _exit(127);
  }
  int status;
  if (waitpid(child, &status, 0) < 0 || status != 0) fail(NO_NAMESPACE, "%s does not map ids for this user", program);
}

/* Programs outside of the namespace write its maps: a helper is left there. */
static void map_ranges(const char *users, const char *groups) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  pid_t self = getpid();
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) < 0) fail_errno(NO_NAMESPACE, "make", "a pipe");
  pid_t helper = fork();
  if (helper < 0) fail_errno(NO_NAMESPACE, "start", "a helper");
  if (helper == 0) {
    char byte;
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) _exit(1);
    run_mapper("newuidmap", self, uid, users);
    run_mapper("newgidmap", self, gid, groups);
    _exit(0);
  }
  close(ready[0]);
  if (unshare(CLONE_NEWUSER) < 0) fail_errno(NO_NAMESPACE, "make", "a user namespace");
  if (write(ready[1], "x", 1) != 1) fail_errno(NO_NAMESPACE, "start", "a helper");
  close(ready[1]);
  int status;
  if (waitpid(helper, &status, 0) < 0 || status != 0) exit(1);
}

bool enter_user_namespace(const char *users, const char *groups) {
  if (users != NULL && groups != NULL) {
    map_ranges(users, groups);
    return true;
  }
  uid_t uid = geteuid();
  gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER) < 0) fail_errno(NO_NAMESPACE, "make", "a user namespace");
  map_one(uid, gid);
  return false;
}

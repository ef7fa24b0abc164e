#include "namespaces.h"

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS 4

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail("cannot write %s: %s", path, strerror(errno));
  close(file);
}

/* The parts between separators; the text is changed. */
static size_t split(char *text, char separator, char **parts) {
  size_t count = 0;
  for (char *at = text; at != NULL && count < PARTS;) {
    parts[count++] = at;
    at = strchr(at, separator);
    if (at != NULL) *at++ = '\0';
  }
  return count;
}

static unsigned long number(const char *text) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value > UINT32_MAX) fail("%s is not an id", text);
  return value;
}

static void map_single(unsigned long inside_uid, unsigned long outside_uid, unsigned long inside_gid, unsigned long outside_gid) {
  char text[64];
  write_file("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%lu %lu 1\n", inside_uid, outside_uid);
  write_file("/proc/self/uid_map", text);
  snprintf(text, sizeof text, "%lu %lu 1\n", inside_gid, outside_gid);
  write_file("/proc/self/gid_map", text);
}

void enter_user_namespace(const char *description) {
  char text[64];
  char *parts[PARTS];
  if (strlen(description) >= sizeof text) fail("the description of the user namespace is too long");
  memcpy(text, description, strlen(description) + 1);
  size_t count = split(text, ':', parts);
  if (count == 2 && strcmp(parts[0], "join") == 0) {
    join_namespace((uint32_t)number(parts[1]), "user");
  } else if (count == 3 && strcmp(parts[0], "self") == 0) {
    unsigned long uid = number(parts[1]);
    unsigned long gid = number(parts[2]);
    if (unshare(CLONE_NEWUSER) != 0) fail("the kernel denies a user namespace: %s", strerror(errno));
    map_single(0, uid, 0, gid);
  } else {
    fail("%s describes no user namespace", description);
  }
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("cannot become root of the user namespace: %s", strerror(errno));
}

void rename_user(uint32_t uid, uint32_t gid) {
  if (unshare(CLONE_NEWUSER) != 0) fail("the kernel denies a user namespace: %s", strerror(errno));
  map_single(uid, 0, gid, 0);
}

int open_namespace(uint32_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/ns/%s", pid, name);
  int namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (namespace < 0) fail("cannot open the %s namespace of the container: %s", name, strerror(errno));
  return namespace;
}

void join_namespace(uint32_t pid, const char *name) {
  int namespace = open_namespace(pid, name);
  if (setns(namespace, 0) != 0) fail("cannot enter the %s namespace of the container: %s", name, strerror(errno));
  close(namespace);
}

#include "tree.h"

#include "fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Deeper folders are moved up and removed there: descriptors are few, and the depth is chosen by an archive. */
#define MAX_DEPTH 48

int open_beneath(int root, const char *path) {
  struct open_how how = {
    .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
  };
  long opened;
  do opened = syscall(SYS_openat2, root, *path == '\0' ? "." : path, &how, sizeof how);
  while (opened < 0 && (errno == EINTR || errno == EAGAIN));
  if (opened < 0 && (errno == ENOSYS || errno == EPERM))
    fail(UNPACK_FAILED, "the system call openat2 is needed to unpack layers safely (Linux 5.6), and is not available");
  return (int)opened;
}

static bool is_self(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* One pass; true when something was moved up and another pass is needed. Takes over `folder`. */
static bool remove_level(int folder, int top, unsigned depth, unsigned long *moved) {
  DIR *entries = fdopendir(folder);
  if (entries == NULL) fail_errno(UNPACK_FAILED, "read", "a folder");
  bool again = false;
  struct dirent *entry;
  while ((entry = readdir(entries)) != NULL) {
    if (is_self(entry->d_name)) continue;
    if (unlinkat(folder, entry->d_name, 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM) fail_errno(UNPACK_FAILED, "remove", entry->d_name);
    if (unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0) continue;
    if (depth == MAX_DEPTH) {
      char name[64];
      snprintf(name, sizeof name, ".deep-%lu", (*moved)++);
      if (renameat(folder, entry->d_name, top, name) < 0) fail_errno(UNPACK_FAILED, "move", entry->d_name);
      again = true;
      continue;
    }
    /* Its owner may have no rights to it. */
    if (fchmodat(folder, entry->d_name, 0700, 0) < 0) fail_errno(UNPACK_FAILED, "open", entry->d_name);
    int child = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (child < 0) fail_errno(UNPACK_FAILED, "open", entry->d_name);
    again |= remove_level(child, top, depth + 1, moved);
    if (unlinkat(folder, entry->d_name, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY)
      fail_errno(UNPACK_FAILED, "remove", entry->d_name);
  }
  closedir(entries);
  return again;
}

void remove_content(int folder) {
  unsigned long moved = 0;
  bool again;
  do {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) fail_errno(UNPACK_FAILED, "open", "a folder");
    again = remove_level(copy, folder, 0, &moved);
  } while (again);
}

void remove_entry(int folder, const char *name) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return;
  if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return;
  if (errno != ENOTEMPTY && errno != EEXIST) fail_errno(UNPACK_FAILED, "remove", name);
  int child = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (child < 0) fail_errno(UNPACK_FAILED, "open", name);
  remove_content(child);
  close(child);
  if (unlinkat(folder, name, AT_REMOVEDIR) < 0) fail_errno(UNPACK_FAILED, "remove", name);
}

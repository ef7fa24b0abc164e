#include "unpack.h"

#include "fail.h"
#include "tar.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_PATH_BYTES 4096
#define WHITEOUT ".wh."
#define OPAQUE ".wh..wh..opq"

/* Modes and times of folders are set at the end: entries that follow have to be written into them, and change their times. */
struct folder_entry {
  char *path;
  uint32_t uid, gid, mode;
  struct timespec mtime;
};

static int root;
static struct unpack_options options;
static struct folder_entry *folders;
static size_t folder_count, folder_capacity;
static unsigned long entries, devices, foreign_owners;
static uint64_t bytes_written;
static uid_t own_uid;
static gid_t own_gid;

/* Of the entry before: most lie in the same folder. An entry replaces names in its folder only, so this one stays true. */
static char last_parent[MAX_PATH_BYTES] = "";
static int last_parent_fd = -1;

static void forget_parent(void) {
  if (last_parent_fd >= 0) close(last_parent_fd);
  last_parent_fd = -1;
}

/* Clears a path of `.` and double slashes. Paths that lead upwards end the program; a path of the root itself becomes empty. */
static void clean(char *to, const char *path) {
  if (strlen(path) >= MAX_PATH_BYTES) fail(UNSAFE_LAYER, "the archive has a name that is too long");
  size_t used = 0;
  while (*path != '\0') {
    size_t length = strcspn(path, "/");
    if (length == 2 && memcmp(path, "..", 2) == 0) fail(UNSAFE_LAYER, "the name %.400s leads out of the layer", path);
    if (length > 0 && !(length == 1 && *path == '.')) {
      if (used > 0) to[used++] = '/';
      memcpy(to + used, path, length);
      used += length;
    }
    path += length;
    while (*path == '/') path++;
  }
  to[used] = '\0';
}

/* Splits a clean path into the folder, which is cut off, and the name in it. */
static char *split_name(char *path) {
  char *slash = strrchr(path, '/');
  if (slash == NULL) return path;
  *slash = '\0';
  return slash + 1;
}

static void check_written(const char *act, const char *name) {
  bool names = errno == ENAMETOOLONG || errno == ELOOP || errno == ENOTDIR || errno == EINVAL || errno == EEXIST;
  fail_errno(names ? UNSAFE_LAYER : UNPACK_FAILED, act, name);
}

/* Overlayfs reads the first as root, the second in a user namespace. */
static void make_opaque(int parent, const char *name) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail_errno(UNPACK_FAILED, "open", name);
  bool trusted = fsetxattr(fd, "trusted.overlay.opaque", "y", 1, 0) == 0;
  bool user = fsetxattr(fd, "user.overlay.opaque", "y", 1, 0) == 0;
  if (!trusted && !user) fail_errno(UNPACK_FAILED, "mark as opaque", name);
  close(fd);
}

static bool is_whiteout(int parent, const char *name) {
  struct stat found;
  return fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == 0;
}

/* A new folder, in the place of a whiteout if there is one: it hides the folder of lower layers then. */
static void make_folder(int parent, const char *name, mode_t mode) {
  bool hides = false;
  while (mkdirat(parent, name, mode) < 0) {
    if (errno != EEXIST || hides || !is_whiteout(parent, name)) check_written("create", name);
    remove_entry(parent, name);
    hides = true;
  }
  if (hides) make_opaque(parent, name);
}

/* The folder of an entry. Folders that the archive left out are made, for root and readable by all. */
static int open_parent(const char *path) {
  if (last_parent_fd >= 0 && strcmp(path, last_parent) == 0) return last_parent_fd;
  int fd = open_beneath(root, path);
  for (const char *end = path; fd < 0; end++) {
    char prefix[MAX_PATH_BYTES];
    end += strcspn(end, "/");
    size_t length = (size_t)(end - path);
    memcpy(prefix, path, length);
    prefix[length] = '\0';
    int found = open_beneath(root, prefix);
    if (found < 0) {
      char *name = split_name(prefix);
      int above = open_beneath(root, name == prefix ? "" : prefix);
      if (above < 0) check_written("open", path);
      make_folder(above, name, 0755);
      close(above);
    } else close(found);
    if (*end == '\0') {
      fd = open_beneath(root, path);
      if (fd < 0) check_written("open", path);
    }
  }
  forget_parent();
  last_parent_fd = fd;
  memcpy(last_parent, path, strlen(path) + 1);
  return fd;
}

/* Makes room for an entry that comes again, or in another form. */
static void make_room(int parent, const char *name) {
  struct stat found;
  if (fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) < 0) return;
  int own = fcntl(parent, F_DUPFD_CLOEXEC, 3);
  if (own < 0) fail_errno(UNPACK_FAILED, "open", name);
  remove_entry(own, name);
  close(own);
}

static bool is_owner_foreign(void) { return errno == EINVAL; }

/* New files are this user's: most need nothing. */
static bool is_own(const struct entry *entry) { return entry->uid == own_uid && entry->gid == own_gid; }

static void own(int fd, const struct entry *entry, const char *name) {
  if (!options.owners || fchown(fd, entry->uid, entry->gid) == 0) return;
  if (!is_owner_foreign()) fail_errno(UNPACK_FAILED, "set the owner of", name);
  foreign_owners++;
}

/* Attributes that a program can use. Those of overlayfs would let an archive reach into other layers. */
static bool is_allowed(const char *xattr) {
  if (strcmp(xattr, "security.capability") == 0) return true;
  return strncmp(xattr, "user.", 5) == 0 && strncmp(xattr, "user.overlay.", 13) != 0;
}

static void set_xattrs(int fd, const struct entry *entry, const char *name) {
  for (size_t i = 0; i < entry->xattr_count; i++) {
    const struct xattr *xattr = &entry->xattrs[i];
    if (!is_allowed(xattr->name) || fsetxattr(fd, xattr->name, xattr->value, xattr->length, 0) == 0) continue;
    /* A user without the right, or a file system without attributes: the program runs without them. */
    if (errno == EPERM || errno == ENOTSUP || errno == EINVAL || errno == EACCES) continue;
    fail_errno(UNPACK_FAILED, "set an extended attribute of", name);
  }
}

/* Files in such a folder get its group. */
static bool has_setgid(int folder) {
  struct stat found;
  return fstat(folder, &found) == 0 && (found.st_mode & S_ISGID);
}

static int create_file(int parent, const char *name, mode_t mode) {
  return openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

static void write_file(int parent, const char *name, const struct entry *entry) {
  mode_t mode = entry->mode & 0777;
  int fd = create_file(parent, name, mode);
  if (fd < 0 && errno == EEXIST) {
    make_room(parent, name);
    fd = create_file(parent, name, mode);
  }
  if (fd < 0) check_written("create", name);
  const char *bytes;
  for (size_t part; (part = tar_read(&bytes)) > 0;)
    while (part > 0) {
      ssize_t written = write(fd, bytes, part);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_errno(UNPACK_FAILED, "write", name);
      bytes += written;
      part -= (size_t)written;
      bytes_written += (uint64_t)written;
    }
  /* Changing the owner clears the mode's special bits and the capabilities: they come after. */
  if (!is_own(entry) || has_setgid(parent)) own(fd, entry, name);
  if (entry->mode != mode && fchmod(fd, entry->mode) < 0) fail_errno(UNPACK_FAILED, "set the mode of", name);
  set_xattrs(fd, entry, name);
  struct timespec times[2] = {entry->mtime, entry->mtime};
  if (futimens(fd, times) < 0) fail_errno(UNPACK_FAILED, "set the time of", name);
  if (close(fd) < 0) fail_errno(UNPACK_FAILED, "write", name);
}

/* Owner and time of an entry that cannot be opened: links and pipes. */
static void finish_unopened(int parent, const char *name, const struct entry *entry) {
  if (options.owners && fchownat(parent, name, entry->uid, entry->gid, AT_SYMLINK_NOFOLLOW) < 0) {
    if (!is_owner_foreign()) fail_errno(UNPACK_FAILED, "set the owner of", name);
    foreign_owners++;
  }
  struct timespec times[2] = {entry->mtime, entry->mtime};
  utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW);
}

static void write_symlink(int parent, const char *name, const struct entry *entry) {
  if (*entry->link == '\0') fail(UNSAFE_LAYER, "%.400s is a link to nothing", name);
  make_room(parent, name);
  if (symlinkat(entry->link, parent, name) < 0) check_written("create", name);
  finish_unopened(parent, name, entry);
}

static void write_pipe(int parent, const char *name, const struct entry *entry) {
  make_room(parent, name);
  if (mkfifoat(parent, name, 0600) < 0) check_written("create", name);
  finish_unopened(parent, name, entry);
  fchmodat(parent, name, entry->mode, 0);
}

/* The target has to be a file or a link of this layer. */
static void write_hard_link(int parent, const char *name, const struct entry *entry) {
  char target[MAX_PATH_BYTES];
  clean(target, entry->link);
  char *base = split_name(target);
  int folder = open_beneath(root, base == target ? "" : target);
  struct stat found;
  if (folder < 0 || *base == '\0' || fstatat(folder, base, &found, AT_SYMLINK_NOFOLLOW) < 0)
    fail(UNSAFE_LAYER, "%.400s is a hard link to %.400s, which the layer does not have", name, entry->link);
  if (!S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode))
    fail(UNSAFE_LAYER, "%.400s is a hard link to %.400s, which is not a file", name, entry->link);
  struct stat present;
  bool same = fstatat(parent, name, &present, AT_SYMLINK_NOFOLLOW) == 0 && present.st_ino == found.st_ino;
  if (!same) {
    make_room(parent, name);
    if (linkat(folder, base, parent, name, 0) < 0) check_written("link", name);
  }
  close(folder);
}

static void remember_folder(const char *path, const struct entry *entry) {
  if (folder_count == folder_capacity) {
    folder_capacity = folder_capacity == 0 ? 64 : folder_capacity * 2;
    folders = reallocarray(folders, folder_capacity, sizeof *folders);
    if (folders == NULL) fail(UNPACK_FAILED, "out of memory");
  }
  char *copy = strdup(path);
  if (copy == NULL) fail(UNPACK_FAILED, "out of memory");
  folders[folder_count++] = (struct folder_entry){copy, entry->uid, entry->gid, entry->mode, entry->mtime};
}

static void write_folder(int parent, const char *name, const struct entry *entry) {
  struct stat found;
  bool exists = fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && !S_ISDIR(found.st_mode) && !is_whiteout(parent, name)) {
    make_room(parent, name);
    exists = false;
  }
  if (!exists || !S_ISDIR(found.st_mode)) make_folder(parent, name, 0700);
  if (entry->xattr_count == 0) return;
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail_errno(UNPACK_FAILED, "open", name);
  set_xattrs(fd, entry, name);
  close(fd);
}

/* The file of this name is deleted from lower layers. Where this layer has a folder of the name, only that remains. */
static void write_whiteout(int parent, const char *name) {
  if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    fail(UNSAFE_LAYER, "the archive has a whiteout of no name");
  if (mknodat(parent, name, S_IFCHR, 0) == 0) return;
  if (errno == EPERM)
    fail(UNPACK_FAILED, "the file system cannot hold whiteouts (character devices 0/0); choose another folder");
  if (errno != EEXIST) check_written("create", name);
  struct stat found;
  if (fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode)) make_opaque(parent, name);
}

static void write_entry(const struct entry *entry) {
  char path[MAX_PATH_BYTES], folder[MAX_PATH_BYTES];
  clean(path, entry->name);
  if (*path == '\0') {
    if (entry->type != '5') fail(UNSAFE_LAYER, "the root of the layer is not a folder");
    remember_folder("", entry);
    return;
  }
  memcpy(folder, path, sizeof folder);
  char *name = split_name(folder);
  int parent = open_parent(name == folder ? "" : folder);
  if (strcmp(name, OPAQUE) == 0) {
    make_opaque(parent, ".");
    return;
  }
  /* Files that old engines keep for themselves. */
  if (strncmp(name, WHITEOUT WHITEOUT, 2 * strlen(WHITEOUT)) == 0) return;
  if (strncmp(name, WHITEOUT, strlen(WHITEOUT)) == 0) {
    write_whiteout(parent, name + strlen(WHITEOUT));
    return;
  }
  switch (entry->type) {
    case '0': case '\0': case '7': write_file(parent, name, entry); return;
    case '1': write_hard_link(parent, name, entry); return;
    case '2': write_symlink(parent, name, entry); return;
    case '3': case '4': devices++; return;
    case '5':
      write_folder(parent, name, entry);
      remember_folder(path, entry);
      return;
    case '6': write_pipe(parent, name, entry); return;
    default: fail(UNSAFE_LAYER, "%.400s is of the unknown type 0x%02x", entry->name, (unsigned char)entry->type);
  }
}

/* From the last to the first, so that a folder without rights does not hide those in it. */
static void finish_folders(void) {
  while (folder_count > 0) {
    struct folder_entry *each = &folders[--folder_count];
    int path = open_beneath(root, each->path);
    int fd = path < 0 ? -1 : openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (path >= 0) close(path);
    if (fd >= 0) {
      struct entry entry = {.uid = each->uid, .gid = each->gid};
      own(fd, &entry, each->path);
      if (fchmod(fd, each->mode) < 0) fail_errno(UNPACK_FAILED, "set the mode of", each->path);
      struct timespec times[2] = {each->mtime, each->mtime};
      futimens(fd, times);
      close(fd);
    }
    free(each->path);
  }
  free(folders);
  folders = NULL;
}

void unpack(int folder, struct unpack_options given) {
  root = folder;
  options = given;
  own_uid = geteuid();
  own_gid = getegid();
  struct entry entry;
  while (tar_next(&entry)) {
    if (++entries > options.max_entries) fail(TOO_LARGE, "the layer has more than %lu files", options.max_entries);
    write_entry(&entry);
  }
  tar_drain();
  forget_parent();
  finish_folders();
  printf("{\"entries\":%lu,\"bytes\":%" PRIu64 ",\"devices\":%lu,\"foreignOwners\":%lu}\n", entries, bytes_written, devices,
         foreign_owners);
}

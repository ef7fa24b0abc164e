#include "root.h"

#include "kernel.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572
#define DEVPTS_MAGIC 0x1cd1
#define CGROUP2_SUPER_MAGIC 0x63677270

/* Parts of /proc that speak of the machine, not of the container, and that root could read or write. */
static const char *const masked[] = {
    "/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/kmsg", "/proc/latency_stats",
    "/proc/sched_debug", "/proc/scsi", "/proc/sysrq-trigger", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
    "/sys/devices/virtual/powercap", NULL,
};
static const char *const read_only[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", NULL};
static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty", NULL};
static const char *const links[][2] = {
    {"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"}, {"pts/ptmx", "ptmx"},
};

struct root {
  const struct job *job;
  /* Open on the new root. */
  int folder;
  /* An empty folder that is mounted somewhere in it, or -1. */
  int empty;
};

static _Noreturn void fail_at(const char *what, const char *path) { fail("%s %s: %s", what, path, strerror(errno)); }

/* A path of the container, without leaving its root; -1 with errno. */
static int open_inside(const struct root *root, const char *path, uint64_t flags) {
  bool resolved = (root->job->flags & FLAG_RESOLVED_PATHS) != 0;
  uint64_t how = PATH_IN_ROOT | PATH_NO_MAGIC_LINKS | (resolved ? PATH_NO_LINKS : 0);
  return kernel_openat2(root->folder, path, flags | O_PATH | O_CLOEXEC, how);
}

/* Makes the folders of a path, and at its end a folder or an empty file, where they are missing. */
static int make_inside(const struct root *root, const char *path, bool folder) {
  char part[PATH_MAX];
  int found = open_inside(root, path, 0);
  if (found >= 0 || errno != ENOENT) return found;
  for (const char *at = strchr(path + 1, '/');; at = at == NULL ? NULL : strchr(at + 1, '/')) {
    size_t length = at == NULL ? strlen(path) : (size_t)(at - path);
    bool last = at == NULL || at[1] == '\0';
    memcpy(part, path, length);
    part[length] = '\0';
    int here = open_inside(root, part, 0);
    if (here < 0) {
      if (errno != ENOENT) return -1;
      char *slash = strrchr(part, '/');
      *slash = '\0';
      int parent = slash == part ? dup(root->folder) : open_inside(root, part, O_DIRECTORY);
      if (parent < 0) return -1;
      int made = last && !folder ? mknodat(parent, slash + 1, S_IFREG | 0644, 0) : mkdirat(parent, slash + 1, 0755);
      int error = errno;
      close(parent);
      if (made != 0 && error != EEXIST) {
        errno = error;
        return -1;
      }
    } else {
      close(here);
    }
    if (last) break;
  }
  return open_inside(root, path, 0);
}

static void attach(int tree, int point, const char *path) {
  if (kernel_move_mount(tree, point) != 0) fail_at("cannot mount at", path);
  close(tree);
}

/* A copy of the mount that a descriptor is open on, with these attributes. */
static int copy_mount(int source, const char *path, bool recursive, uint64_t attributes) {
  int tree = kernel_open_tree(source, "", TREE_EMPTY_PATH | TREE_CLONE | TREE_CLOEXEC | (recursive ? TREE_RECURSIVE : 0));
  if (tree < 0) fail_at("cannot bind", path);
  if (kernel_mount_setattr(tree, recursive ? TREE_RECURSIVE : 0, attributes) != 0) fail_at("cannot restrict", path);
  return tree;
}

static int new_mount(const char *type, const char *const (*options)[2], unsigned attributes) {
  int context = kernel_fsopen(type);
  if (context < 0) fail_at("cannot open the file system", type);
  for (; options != NULL && (*options)[0] != NULL; options++) {
    const char *value = (*options)[1];
    if (kernel_fsconfig(context, value == NULL ? CONFIG_FLAG : CONFIG_STRING, (*options)[0], value) != 0) fail_at("cannot configure", type);
  }
  if (kernel_fsconfig(context, CONFIG_CREATE, NULL, NULL) != 0) fail_at("cannot make the file system", type);
  int mount = kernel_fsmount(context, attributes);
  if (mount < 0) fail_at("cannot mount the file system", type);
  close(context);
  return mount;
}

/* The source of a mount. One that the caller opened is found by its path in this mount namespace, and must be the same. */
static int open_source(const struct mount *mount) {
  if (mount->descriptor == NO_DESCRIPTOR) {
    int source = open(mount->source, O_PATH | O_CLOEXEC);
    if (source < 0) fail_at("cannot mount", mount->source);
    return source;
  }
  struct stat opened;
  struct stat found;
  int source = kernel_openat2(AT_FDCWD, mount->source, O_PATH | O_CLOEXEC, PATH_NO_LINKS);
  if (source < 0 || fstat(source, &found) != 0 || fstat(mount->descriptor, &opened) != 0 || opened.st_dev != found.st_dev ||
      opened.st_ino != found.st_ino)
    fail("what is to be mounted at %s was replaced by something else", mount->target);
  return source;
}

static bool is_folder(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Mounts of the job may not lie in what the kernel shows: programs trust it. */
static void check_point(int point, const char *path) {
  struct statfs status;
  if (fstatfs(point, &status) != 0) fail_at("cannot mount at", path);
  if (status.f_type == PROC_MAGIC || status.f_type == SYSFS_MAGIC) fail("cannot mount at %s: it belongs to the kernel", path);
}

static void mount_bind(const struct root *root, const struct mount *mount) {
  uint64_t attributes = ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES;
  if ((mount->flags & MOUNT_READ_ONLY) != 0) attributes |= ATTRIBUTE_READ_ONLY;
  if ((mount->flags & MOUNT_NO_PROGRAMS) != 0) attributes |= ATTRIBUTE_NO_PROGRAMS;
  int source = open_source(mount);
  bool make = (mount->flags & MOUNT_MAKE_POINT) != 0;
  int point = make ? make_inside(root, mount->target, is_folder(source)) : open_inside(root, mount->target, 0);
  if (point < 0 && errno == ELOOP) fail("the mount point %s was replaced by a link", mount->target);
  if (point < 0) fail_at("cannot mount at", mount->target);
  check_point(point, mount->target);
  if (is_folder(source) != is_folder(point)) {
    errno = ENOTDIR;
    fail_at("cannot mount at", mount->target);
  }
  attach(copy_mount(source, mount->source, (mount->flags & MOUNT_RECURSIVE) != 0, attributes), point, mount->target);
  close(source);
  close(point);
}

/* Overlays are mounted by the older call, whose options may be long; descriptors keep them short, and need no escapes. */
static void append_layer(char *options, size_t size, const char *separator, const char *path) {
  int folder = open(path, O_PATH | O_DIRECTORY);
  if (folder < 0) fail_at("cannot use the layer", path);
  size_t length = strlen(options);
  int added = snprintf(options + length, size - length, "%s/proc/self/fd/%d", separator, folder);
  if (added < 0 || (size_t)added >= size - length) fail("the image has too many layers");
}

static void append_option(char *options, size_t size, const char *option) {
  if (strlen(options) + strlen(option) >= size) fail("the image has too many layers");
  strcat(options, option);
}

static void mount_overlay(int point, const char *path, const char *options, unsigned long flags) {
  char target[64];
  snprintf(target, sizeof target, "/proc/self/fd/%d", point);
  if (mount("overlay", target, "overlay", flags, options) != 0) fail_at("cannot mount an overlay at", path);
}

static void mount_layered(const struct root *root, const struct mount *mount) {
  char options[PATH_MAX] = "";
  bool make = (mount->flags & MOUNT_MAKE_POINT) != 0;
  int point = make ? make_inside(root, mount->target, true) : open_inside(root, mount->target, O_DIRECTORY);
  if (point < 0) fail_at("cannot mount at", mount->target);
  check_point(point, mount->target);
  append_layer(options, sizeof options, "lowerdir=", mount->source);
  for (size_t i = 0; mount->under[i] != NULL; i++) append_layer(options, sizeof options, ":", mount->under[i]);
  unsigned long programs = (mount->flags & MOUNT_NO_PROGRAMS) != 0 ? MS_NOEXEC : 0;
  mount_overlay(point, mount->target, options, MS_RDONLY | MS_NOSUID | MS_NODEV | programs);
  close(point);
}

/* Covers a file by the null device, a folder by an empty one. Nothing where there is neither. */
static void cover(struct root *root, const char *path) {
  int point = open_inside(root, path, 0);
  if (point < 0) return;
  unsigned attributes = ATTRIBUTE_READ_ONLY | ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES | ATTRIBUTE_NO_PROGRAMS;
  if (!is_folder(point)) {
    int null = open("/dev/null", O_PATH | O_CLOEXEC);
    if (null < 0) fail_at("cannot open", "/dev/null");
    attach(copy_mount(null, path, false, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_PROGRAMS), point, path);
    close(null);
  } else if (root->empty < 0) {
    static const char *const options[][2] = {{"size", "4k"}, {"mode", "555"}, {NULL, NULL}};
    attach(new_mount("tmpfs", options, attributes), point, path);
    root->empty = open_inside(root, path, O_DIRECTORY);
  } else {
    attach(copy_mount(root->empty, path, false, attributes), point, path);
  }
  close(point);
}

static void mount_new(const struct root *root, const char *type, const char *path, const char *const (*options)[2], unsigned attributes) {
  int point = make_inside(root, path, true);
  if (point < 0) fail_at("cannot mount at", path);
  attach(new_mount(type, options, attributes), point, path);
  close(point);
}

static void make_devices(const struct root *root) {
  static const char *const of_devices[][2] = {{"mode", "755"}, {"size", "65536k"}, {NULL, NULL}};
  static const char *const of_terminals[][2] = {{"newinstance", NULL}, {"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
  static const char *const of_memory[][2] = {{"mode", "1777"}, {"size", "65536k"}, {NULL, NULL}};
  mount_new(root, "tmpfs", "/dev", of_devices, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_PROGRAMS);
  int folder = open_inside(root, "/dev", O_DIRECTORY);
  if (folder < 0) fail_at("cannot open", "/dev");
  for (size_t i = 0; devices[i] != NULL; i++) {
    char path[32];
    snprintf(path, sizeof path, "/dev/%s", devices[i]);
    int source = open(path, O_PATH | O_CLOEXEC);
    if (source < 0) continue;
    if (mknodat(folder, devices[i], S_IFREG | 0666, 0) != 0) fail_at("cannot make", path);
    int point = open_inside(root, path, 0);
    if (point < 0) fail_at("cannot mount at", path);
    attach(copy_mount(source, path, false, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_PROGRAMS), point, path);
    close(source);
    close(point);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    if (symlinkat(links[i][0], folder, links[i][1]) != 0) fail_at("cannot make the link", links[i][1]);
  close(folder);
  mount_new(root, "devpts", "/dev/pts", of_terminals, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_PROGRAMS);
  mount_new(root, "tmpfs", "/dev/shm", of_memory, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES | ATTRIBUTE_NO_PROGRAMS);
}

static void make_read_only(const struct root *root, const char *path) {
  int point = open_inside(root, path, 0);
  if (point < 0) return;
  uint64_t attributes = ATTRIBUTE_READ_ONLY | ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES | ATTRIBUTE_NO_PROGRAMS;
  attach(copy_mount(point, path, true, attributes), point, path);
  close(point);
}

/* The name of the hierarchy that a cgroup is in: the part of its path after /sys/fs/cgroup. */
static void name_hierarchy(char *name, size_t size, const char *cgroup) {
  static const char start[] = "/sys/fs/cgroup/";
  if (strncmp(cgroup, start, sizeof start - 1) != 0) fail_at("cannot show the cgroup", cgroup);
  const char *rest = cgroup + sizeof start - 1;
  size_t length = strcspn(rest, "/");
  if (length == 0 || length >= size || rest[0] == '.') fail_at("cannot show the cgroup", cgroup);
  memcpy(name, rest, length);
  name[length] = '\0';
}

/* Shows a container its own cgroup where programs look for it, as container runtimes do: those of the first version by hierarchy. */
static void show_cgroups(const struct root *root) {
  static const char folder[] = "/sys/fs/cgroup";
  static const char *const options[][2] = {{"size", "4k"}, {"mode", "755"}, {NULL, NULL}};
  unsigned attributes = ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES | ATTRIBUTE_NO_PROGRAMS;
  struct statfs status;
  if (root->job->cgroups[0] == NULL) return;
  if (statfs(root->job->cgroups[0], &status) != 0) fail_at("cannot show the cgroup", root->job->cgroups[0]);
  bool unified = status.f_type == CGROUP2_SUPER_MAGIC;
  if (!unified) mount_new(root, "tmpfs", folder, options, attributes);
  for (size_t i = 0; root->job->cgroups[i] != NULL; i++) {
    const char *cgroup = root->job->cgroups[i];
    char name[64];
    char path[128];
    name_hierarchy(name, sizeof name, cgroup);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int source = open(cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int point = unified ? open_inside(root, folder, O_DIRECTORY) : make_inside(root, path, true);
    if (source < 0 || point < 0) fail_at("cannot show the cgroup", cgroup);
    attach(copy_mount(source, cgroup, false, attributes | ATTRIBUTE_READ_ONLY), point, path);
    close(source);
    close(point);
  }
  if (unified) return;
  int shown = open_inside(root, folder, O_DIRECTORY);
  if (shown < 0 || kernel_mount_setattr(shown, 0, attributes | ATTRIBUTE_READ_ONLY) != 0) fail_at("cannot make read-only", folder);
  close(shown);
}

/* The kernel's own file systems. In a user namespace the kernel binds /sys only with all that is mounted in it. */
static void mount_kernel(struct root *root) {
  bool user_namespace = (root->job->flags & FLAG_USER_NAMESPACE) != 0;
  bool privileged = (root->job->flags & FLAG_PRIVILEGED) != 0;
  unsigned attributes = ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES | ATTRIBUTE_NO_PROGRAMS;
  mount_new(root, "proc", "/proc", NULL, attributes);
  int point = make_inside(root, "/sys", true);
  int source = open("/sys", O_PATH | O_CLOEXEC);
  if (point < 0 || source < 0) fail_at("cannot mount at", "/sys");
  attach(copy_mount(source, "/sys", user_namespace, attributes | ATTRIBUTE_READ_ONLY), point, "/sys");
  close(source);
  close(point);
  if (user_namespace) cover(root, "/sys/fs/cgroup");
  else show_cgroups(root);
  for (size_t i = 0; read_only[i] != NULL && !privileged; i++) make_read_only(root, read_only[i]);
  for (size_t i = 0; masked[i] != NULL && !privileged; i++) cover(root, masked[i]);
}

/* Mounts the root at its own place, and opens it. */
static void open_root(struct root *root) {
  const struct job *job = root->job;
  int point = open(job->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (point < 0) fail_at("cannot open the root", job->root);
  if (job->layers[0] == NULL) {
    attach(copy_mount(point, job->root, false, ATTRIBUTE_NO_SUID | ATTRIBUTE_NO_DEVICES), point, job->root);
  } else {
    char options[PATH_MAX] = "";
    for (size_t i = 0; job->layers[i] != NULL; i++) append_layer(options, sizeof options, i == 0 ? "lowerdir=" : ":", job->layers[i]);
    if (job->upper != NULL) {
      append_layer(options, sizeof options, ",upperdir=", job->upper);
      append_layer(options, sizeof options, ",workdir=", job->work);
      /* The container's writes are deleted with it: nothing waits for the disk when it ends. */
      append_option(options, sizeof options, ",volatile");
    }
    if ((job->flags & FLAG_USER_NAMESPACE) != 0) append_option(options, sizeof options, ",userxattr");
    mount_overlay(point, job->root, options, MS_NODEV | ((job->flags & FLAG_NO_NEW_PRIVILEGES) != 0 ? MS_NOSUID : 0));
  }
  close(point);
  root->folder = open(job->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root->folder < 0) fail_at("cannot open the root", job->root);
}

static void change_root(const struct root *root) {
  if (fchdir(root->folder) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
    fail("cannot change the root: %s", strerror(errno));
}

void enter_root(const struct job *job) {
  struct root root = {job, -1, -1};
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("cannot make mounts private: %s", strerror(errno));
  open_root(&root);
  mount_kernel(&root);
  make_devices(&root);
  for (size_t i = 0; i < job->mount_count; i++) {
    switch (job->mounts[i].kind) {
      case MOUNT_LAYERED: mount_layered(&root, &job->mounts[i]); break;
      case MOUNT_COVER: cover(&root, job->mounts[i].target); break;
      default: mount_bind(&root, &job->mounts[i]); break;
    }
  }
  if ((job->flags & FLAG_MAKE_WORKING_FOLDER) != 0) {
    int folder = make_inside(&root, job->working_folder, true);
    if (folder >= 0) close(folder);
  }
  if ((job->flags & FLAG_READ_ONLY_ROOT) != 0 && kernel_mount_setattr(root.folder, 0, ATTRIBUTE_READ_ONLY) != 0)
    fail("cannot make the root read-only: %s", strerror(errno));
  change_root(&root);
}

int open_terminal(char *name, size_t size) {
  struct statfs status;
  int unlock = 0;
  unsigned index;
  int master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (master < 0 || fstatfs(master, &status) != 0 || status.f_type != DEVPTS_MAGIC) fail("cannot open a terminal of the container");
  if (ioctl(master, TIOCSPTLCK, &unlock) != 0 || ioctl(master, TIOCGPTN, &index) != 0) fail_at("cannot open", "a terminal");
  snprintf(name, size, "/dev/pts/%u", index);
  return master;
}

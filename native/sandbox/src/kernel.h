/*
 * System calls that C libraries of today do not all have. Their numbers are the same on every processor; the structures and
 * flags are the kernel's. Linux 5.12 has all of them.
 */
#ifndef SANDBOX_KERNEL_H
#define SANDBOX_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsconfig
#define SYS_fsconfig 431
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

#define TREE_CLONE 1u
#define TREE_RECURSIVE 0x8000u
#define TREE_EMPTY_PATH 0x1000u
#define TREE_CLOEXEC 02000000u
#define MOVE_FROM_EMPTY_PATH 0x4u
#define MOVE_TO_EMPTY_PATH 0x40u
#define CONFIG_FLAG 0u
#define CONFIG_STRING 1u
#define CONFIG_CREATE 6u
#define ATTRIBUTE_READ_ONLY 0x1u
#define ATTRIBUTE_NO_SUID 0x2u
#define ATTRIBUTE_NO_DEVICES 0x4u
#define ATTRIBUTE_NO_PROGRAMS 0x8u
#define PATH_NO_MAGIC_LINKS 0x2u
#define PATH_NO_LINKS 0x4u
#define PATH_IN_ROOT 0x10u
#define RANGE_CLOEXEC 0x4u

struct mount_attributes {
  uint64_t set;
  uint64_t clear;
  uint64_t propagation;
  uint64_t user_namespace;
};

struct open_how_to {
  uint64_t flags;
  uint64_t mode;
  uint64_t resolve;
};

static inline int kernel_open_tree(int folder, const char *path, unsigned flags) {
  return (int)syscall(SYS_open_tree, folder, path, flags);
}

static inline int kernel_move_mount(int from, int to) {
  return (int)syscall(SYS_move_mount, from, "", to, "", MOVE_FROM_EMPTY_PATH | MOVE_TO_EMPTY_PATH);
}

static inline int kernel_fsopen(const char *type) { return (int)syscall(SYS_fsopen, type, 1u); }

static inline int kernel_fsconfig(int context, unsigned command, const char *key, const char *value) {
  return (int)syscall(SYS_fsconfig, context, command, key, value, 0);
}

static inline int kernel_fsmount(int context, unsigned attributes) {
  return (int)syscall(SYS_fsmount, context, 1u, attributes);
}

static inline int kernel_mount_setattr(int folder, unsigned flags, uint64_t set) {
  struct mount_attributes attributes = {.set = set};
  return (int)syscall(SYS_mount_setattr, folder, "", TREE_EMPTY_PATH | flags, &attributes, sizeof attributes);
}

static inline int kernel_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how_to how = {.flags = flags, .resolve = resolve};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

static inline int kernel_close_range(unsigned first, unsigned flags) {
  return (int)syscall(SYS_close_range, first, ~0u, flags);
}

#endif

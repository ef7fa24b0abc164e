/*
 * Reads a tar archive from standard input, entry by entry: ustar, GNU long names, pax records.
 *
 * Every field was written by a stranger. Lengths are checked before they are used, numbers have limits, and an archive that
 * ends early or has a wrong checksum ends the program.
 */
#ifndef LAYERS_TAR_H
#define LAYERS_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define MAX_XATTRS 32

struct xattr {
  char *name;
  char *value;
  size_t length;
};

struct entry {
  char type;
  char *name;
  char *link;
  uint64_t size;
  uint32_t uid;
  uint32_t gid;
  uint32_t mode;
  struct timespec mtime;
  struct xattr xattrs[MAX_XATTRS];
  size_t xattr_count;
};

/* The next entry, or false at the end. Its texts are valid until the next call. Content that was not read is skipped. */
bool tar_next(struct entry *entry);
/* A piece of the content of the current entry, or 0 at its end. */
size_t tar_read(const char **bytes);
/* Reads standard input to its end, so that its writer sees all of it taken. */
void tar_drain(void);

#endif

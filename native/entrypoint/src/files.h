/* Files and paths, with Go's words for what goes wrong. Functions return NULL, or an error to show. */
#ifndef ENTRYPOINT_FILES_H
#define ENTRYPOINT_FILES_H

#include "memory.h"

#include <sys/types.h>

enum { ONE_MEBIBYTE = 1024 * 1024 };

struct file_read {
  struct text content;
  bool missing;  /* there is no such file: not always an error, `error` is set all the same */
  bool too_long; /* more than the limit; `content` holds the first bytes */
  char *error;
};

/* Where Tekton's folders are: the path itself, except in the build that tests use. */
const char *tekton_path(const char *path);

/* As Go's filepath.Clean, Join and Dir. */
char *path_clean(const char *path);
char *path_join(const char *folder, const char *name);
char *path_directory(const char *path);
const char *path_base(const char *path);

struct file_read read_file(const char *path, size_t limit);
char *write_file(const char *path, struct text content, int flags, mode_t mode);
char *make_directories(const char *path, mode_t mode);
/* Everything or an errno. */
int write_all(int descriptor, const char *bytes, size_t length);

#endif

#include "files.h"

#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tekton_path(const char *path) {
#ifdef ENTRYPOINT_TEST_ROOT
  const char *root = getenv("ENTRYPOINT_TEST_ROOT");
  if (root != NULL) return format("%s%s", root, path);
#endif
  return path;
}

char *path_clean(const char *path) {
  struct text_list parts = split(path, '/');
  bool rooted = path[0] == '/';
  size_t kept = 0;
  for (size_t i = 0; i < parts.count; i++) {
    struct text part = parts.items[i];
    if (part.length == 0 || text_equals(part, ".")) continue;
    if (text_equals(part, "..")) {
      if (kept > 0 && !text_equals(parts.items[kept - 1], "..")) {
        kept--;
        continue;
      }
      if (rooted) continue;
    }
    parts.items[kept++] = part;
  }
  struct buffer out = {0};
  if (rooted) buffer_add_byte(&out, '/');
  for (size_t i = 0; i < kept; i++) {
    if (i > 0) buffer_add_byte(&out, '/');
    buffer_append(&out, parts.items[i].data, parts.items[i].length);
  }
  if (out.length == 0) buffer_add_byte(&out, '.');
  return out.data;
}

char *path_join(const char *folder, const char *name) {
  if (*folder == '\0') return *name == '\0' ? copy_string("") : path_clean(name);
  return path_clean(format("%s/%s", folder, name));
}

char *path_directory(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  return path_clean(text_copy(path, length).data);
}

const char *path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

struct file_read read_file(const char *path, size_t limit) {
  struct file_read result = {.content = {"", 0}};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    result.missing = errno == ENOENT;
    result.error = path_error("open", path, errno);
    return result;
  }
  struct buffer content = {0};
  char chunk[16384];
  for (;;) {
    ssize_t count = read(descriptor, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      result.error = path_error("read", path, errno);
      break;
    }
    if (count == 0) break;
    buffer_append(&content, chunk, (size_t)count);
    if (content.length > limit) {
      result.too_long = true;
      break;
    }
  }
  (void)close(descriptor);
  result.content = buffer_take(&content);
  return result;
}

int write_all(int descriptor, const char *bytes, size_t length) {
  size_t written = 0;
  while (written < length) {
    ssize_t count = write(descriptor, bytes + written, length - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    written += (size_t)count;
  }
  return 0;
}

char *write_file(const char *path, struct text content, int flags, mode_t mode) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
  if (descriptor < 0) return path_error("open", path, errno);
  int error = write_all(descriptor, content.data, content.length);
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error == 0 ? NULL : path_error("write", path, error);
}

char *make_directories(const char *path, mode_t mode) {
  struct stat status;
  if (stat(path, &status) == 0) return S_ISDIR(status.st_mode) ? NULL : path_error("mkdir", path, ENOTDIR);
  char *parent = path_directory(path);
  if (strcmp(parent, path) != 0 && strcmp(parent, ".") != 0) {
    char *error = make_directories(parent, mode);
    if (error != NULL) return error;
  }
  if (mkdir(path, mode) == 0) return NULL;
  int error = errno;
  if (error == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return NULL;
  return path_error("mkdir", path, error);
}

#include "subcommands.h"

#include "base64.h"
#include "files.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All users may execute the copy, only its owner may write it, no user needs to read it. */
enum { PROGRAM_MODE = 0311, LONGEST_SCRIPT = 64 * ONE_MEBIBYTE };

static char *copy_program(const char *source, const char *destination) {
  int from = open(source, O_RDONLY | O_CLOEXEC);
  if (from < 0) return path_error("open", source, errno);
  int to = open(destination, O_WRONLY | O_CREAT | O_CLOEXEC, PROGRAM_MODE);
  char *error = to < 0 ? path_error("open", destination, errno) : NULL;
  char chunk[65536];
  off_t total = 0;
  while (error == NULL) {
    ssize_t count = read(from, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = path_error("read", source, errno);
    if (count <= 0) break;
    int code = write_all(to, chunk, (size_t)count);
    if (code != 0) error = path_error("write", destination, code);
    total += count;
  }
  /* A longer program that was there before must not leave its end behind. */
  if (error == NULL && ftruncate(to, total) != 0 && errno != EINVAL) error = path_error("truncate", destination, errno);
  (void)close(from);
  if (to >= 0 && close(to) != 0 && error == NULL) error = path_error("close", destination, errno);
  return error;
}

/* Links exist already when the container was started again. */
static char *link_step(const char *target, const char *path) {
  if (symlink(target, path) == 0 || errno == EEXIST) return NULL;
  return format("symlink %s %s: %s", target, path, errno_text(errno));
}

static char *link_steps(int count, char **names) {
  const char *folder = tekton_path("/tekton/steps");
  char *error = make_directories(folder, 0777);
  if (error != NULL) log_fatal("Error creating steps directory %s: %s", quoted(folder), error);
  for (int i = 0; i < count; i++) {
    char *target = format("%s/%d/status", tekton_path("/tekton/run"), i);
    error = link_step(target, path_join(folder, names[i]));
    if (error == NULL) error = link_step(target, path_join(folder, format("%d", i)));
    if (error != NULL) return error;
  }
  return NULL;
}

static char *initialize(const char *source, const char *destination, int count, char **names) {
  char *error = copy_program(source, destination);
  return error != NULL ? error : link_steps(count, names);
}

static char *decode_script(const char *path) {
  struct stat status;
  struct buffer decoded = {0};
  struct file_read script = read_file(path, LONGEST_SCRIPT);
  char *name = quoted(path);
  if (script.error != NULL) return format("error decoding script file %s: error reading from script file %s: %s", name, name, script.error);
  if (script.too_long) return format("error decoding script file %s: it is too long", name);
  if (stat(path, &status) != 0) return format("error decoding script file %s: error statting script file %s: %s", name, name, path_error("stat", path, errno));
  char *error = base64_decode(script.content.data, script.content.length, true, &decoded);
  if (error != NULL) return format("error decoding script file %s: error decoding script file %s: %s", name, name, error);
  error = write_file(path, buffer_take(&decoded), O_TRUNC, status.st_mode & 0777);
  return error == NULL ? NULL : format("error writing decoded script file %s: %s", name, error);
}

bool run_subcommand(int count, char **arguments, int *code) {
  if (count == 0) return false;
  const char *name = arguments[0];
  char *error;
  char *message;
  if (strcmp(name, "init") == 0 && count >= 3) {
    error = initialize(arguments[1], arguments[2], count - 3, arguments + 3);
    message = "Entrypoint initialization";
  } else if (strcmp(name, "cp") == 0 && count == 3) {
    error = copy_program(arguments[1], arguments[2]);
    message = format("Copied %s to %s", arguments[1], arguments[2]);
  } else if (strcmp(name, "decode-script") == 0 && count == 2) {
    error = decode_script(arguments[1]);
    message = format("Decoded script %s", arguments[1]);
  } else if (strcmp(name, "step-init") == 0) {
    error = link_steps(count - 1, arguments + 1);
    message = "Setup /step directories";
  } else {
    return false;
  }
  *code = error == NULL ? 0 : 1;
  log_line("%s", error == NULL ? message : format("%s error: %s", name, error));
  return true;
}

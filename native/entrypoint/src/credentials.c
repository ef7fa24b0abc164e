#include "credentials.h"

#include "files.h"
#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAXIMUM_DEPTH = 64 };

char *split_secret(const char *value, char **secret, char **url) {
  struct text_list parts = split(value, '=');
  if (parts.count != 2) return format("expect entries of the form secret=url, got: %s", value);
  *secret = parts.items[0].data;
  *url = parts.items[1].data;
  return NULL;
}

char *read_secret(const char *secret, const char *key, struct text *value) {
  char *folder = format("%s/%s", tekton_path("/tekton/creds-secrets"), secret);
  struct file_read file = read_file(path_join(folder, key), ONE_MEBIBYTE);
  *value = file.content;
  if (file.too_long) return format("%s of secret %s is longer than a secret can be", key, secret);
  return file.error;
}

static char *copy_content(int from, int to) {
  char chunk[16384];
  for (;;) {
    ssize_t count = read(from, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    int error = count < 0 ? errno : write_all(to, chunk, (size_t)count);
    if (error != 0) return format("error copying from source to destination: %s", errno_text(error));
    if (count == 0) return NULL;
  }
}

static char *copy_entry(const char *source, const char *destination, int depth);

static char *copy_folder(const char *source, const char *destination, int depth) {
  char *error = make_directories(destination, 0700);
  if (error != NULL) return format("unable to create destination directory: %s", error);
  DIR *folder = opendir(source);
  if (folder == NULL) return format("unable to open source: %s", path_error("open", source, errno));
  const struct dirent *entry;
  while (error == NULL && (entry = readdir(folder)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    error = copy_entry(path_join(source, entry->d_name), path_join(destination, entry->d_name), depth + 1);
  }
  (void)closedir(folder);
  return error;
}

static char *copy_file(const char *source, const char *destination) {
  int from = open(source, O_RDONLY | O_CLOEXEC);
  if (from < 0) return errno == ENOENT ? NULL : format("unable to open source: %s", path_error("open", source, errno));
  int to = open(destination, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  char *error = to < 0 ? format("unable to open destination: %s", path_error("open", destination, errno)) : copy_content(from, to);
  (void)close(from);
  if (to >= 0 && close(to) != 0 && error == NULL) error = path_error("close", destination, errno);
  return error;
}

static char *copy_entry(const char *source, const char *destination, int depth) {
  struct stat status;
  if (depth > MAXIMUM_DEPTH) return copy_string("too many folders in one another");
  if (lstat(source, &status) != 0) {
    return errno == ENOENT ? NULL : format("unable to read source file info: %s", path_error("lstat", source, errno));
  }
  return S_ISDIR(status.st_mode) ? copy_folder(source, destination, depth) : copy_file(source, destination);
}

void copy_credentials_home(const char *folder) {
  static const char *const names[] = {".docker", ".gitconfig", ".git-credentials", ".ssh"};
  struct stat status;
  if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) return;
  const char *home = getenv("HOME");
  if (home == NULL || *home == '\0') {
    log_line("non-fatal error copying credentials: %s", quoted("error getting the user's home directory: $HOME is not defined"));
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *error = copy_entry(path_join(folder, names[i]), path_join(home, names[i]), 0);
    if (error == NULL) continue;
    log_line("warning: unsuccessful cred copy: %s from %s to %s: %s", quoted(names[i]), quoted(folder), quoted(home), error);
  }
}

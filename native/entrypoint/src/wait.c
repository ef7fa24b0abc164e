#include "wait.h"

#include "files.h"
#include "log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POLLING_INTERVAL = 1000 };

int64_t monotonic_milliseconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct watch watch_start(void) { return (struct watch){.descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)}; }

bool watch_folder(struct watch *watch, const char *folder) {
  if (watch->descriptor < 0) return false;
  return inotify_add_watch(watch->descriptor, folder, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY) >= 0;
}

void watch_stop(struct watch *watch) {
  if (watch->descriptor >= 0) (void)close(watch->descriptor);
  watch->descriptor = -1;
}

/* Kubernetes changes files of a volume by renaming the link "..data". */
static bool concerns(const struct watch *watch, const struct inotify_event *event) {
  if (watch->name == NULL || event->len == 0 || strcmp(event->name, "..data") == 0) return true;
  size_t length = strlen(watch->name);
  if (strncmp(event->name, watch->name, length) != 0) return false;
  return event->name[length] == '\0' || strcmp(event->name + length, ".err") == 0;
}

bool watch_concerned(const struct watch *watch) {
  bool found = false;
  _Alignas(struct inotify_event) char events[4 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
  for (;;) {
    ssize_t length = read(watch->descriptor, events, sizeof events);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return found;
    for (ssize_t at = 0; at < length;) {
      const struct inotify_event *event = (const struct inotify_event *)(events + at);
      if (concerns(watch, event)) found = true;
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
}

void watch_wait(const struct watch *watch, int milliseconds) {
  int64_t end = monotonic_milliseconds() + milliseconds;
  for (;;) {
    int64_t left = end - monotonic_milliseconds();
    if (left <= 0) return;
    struct pollfd entry = {.fd = watch->descriptor, .events = POLLIN};
    int ready = poll(&entry, 1, (int)left);
    if (ready > 0 && watch_concerned(watch)) return;
  }
}

bool file_has_content(const char *file) {
  struct stat status;
  return stat(file, &status) == 0 && status.st_size > 0;
}

enum wait_outcome wait_for_file(const char *file, bool with_content, bool proceed, char **error) {
  if (*file == '\0') return WAIT_READY;
  char *folder = path_directory(file);
  char *failed = format("%s.err", file);
  struct watch watch = watch_start();
  watch.name = path_base(file);
  bool watched = false;
  enum wait_outcome outcome;
  for (;;) {
    struct stat status;
    if (!watched) watched = watch_folder(&watch, folder);
    if (stat(file, &status) == 0) {
      if (!with_content || status.st_size > 0) {
        outcome = WAIT_READY;
        break;
      }
    } else if (errno != ENOENT) {
      *error = format("waiting for %s: %s", quoted(file), path_error("stat", file, errno));
      outcome = WAIT_FAILED;
      break;
    }
    if (stat(failed, &status) == 0) {
      outcome = proceed ? WAIT_READY : WAIT_SKIP;
      break;
    }
    watch_wait(&watch, POLLING_INTERVAL);
  }
  watch_stop(&watch);
  return outcome;
}

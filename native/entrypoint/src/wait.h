/*
 * Waiting for files.
 *
 * Upstream polls once a second. This program polls at least that often too, because some file systems do not notify,
 * but reacts at once where the kernel reports a change in the folder (inotify). Only events on the awaited names cause
 * a read, so a busy folder costs nothing.
 */
#ifndef ENTRYPOINT_WAIT_H
#define ENTRYPOINT_WAIT_H

#include "memory.h"

#include <stdint.h>

enum wait_outcome { WAIT_READY, WAIT_SKIP, WAIT_FAILED };

/*
 * Returns when `file` exists (with content, if asked for). A file `<file>.err` ends the wait with WAIT_SKIP, or with
 * WAIT_READY when `proceed` is set. An empty name is there already. WAIT_FAILED sets the error.
 */
enum wait_outcome wait_for_file(const char *file, bool with_content, bool proceed, char **error);

/* One folder, or several, that is watched. `descriptor` is -1 where the kernel offers no watch. */
struct watch {
  int descriptor;
  const char *name; /* the file in the folder, NULL for any */
};

struct watch watch_start(void);
bool watch_folder(struct watch *watch, const char *folder);
/* Reads what happened; true when it may concern the file. */
bool watch_concerned(const struct watch *watch);
/* Waits until something happened that concerns the file, or so many milliseconds. */
void watch_wait(const struct watch *watch, int milliseconds);
void watch_stop(struct watch *watch);

/* The file is there, with content. */
bool file_has_content(const char *file);
int64_t monotonic_milliseconds(void);

#endif

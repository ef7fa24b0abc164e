/*
 * The termination message, in which a step reports to the controller.
 *
 * A JSON array of {"key","value","type"}. Each write reads the existing entries, appends, and writes it all again, so
 * results that were written before a failure stay. The kubelet takes 4096 bytes, so that is the limit, after
 * compression if that is on, unless the node says otherwise in $TEKTITE_TERMINATION_MESSAGE_LIMIT.
 */
#ifndef ENTRYPOINT_TERMINATION_H
#define ENTRYPOINT_TERMINATION_H

#include "memory.h"

enum entry_type {
  TASK_RESULT = 1,
  INTERNAL_RESULT = 3,
  STEP_RESULT = 4,
  STEP_ARTIFACTS = 5,
  TASK_ARTIFACTS = 6,
  UNKNOWN_RESULT = 10,
};

struct entry {
  struct text key;
  struct text value;
  struct text resource_name; /* only ever read from an existing message */
  long type;
};

struct entries {
  struct entry *items;
  size_t count;
};

extern const char message_too_long[];

void entries_add(struct entries *entries, const char *key, struct text value, enum entry_type type);
/* NULL, message_too_long itself, or another error. */
const char *termination_write(const char *path, const struct entries *added, bool compress);

#endif

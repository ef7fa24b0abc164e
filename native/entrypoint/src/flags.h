/*
 * Command line flags as Go's flag package reads them: -x and --x are the same, -x=v and -x v too, a boolean takes a value only
 * with "=". Reading stops at the first argument that is not a flag, or after "--". What is wrong ends the program with code 2,
 * -h and -help with 0.
 */
#ifndef ENTRYPOINT_FLAGS_H
#define ENTRYPOINT_FLAGS_H

#include "memory.h"

#include <stdint.h>

enum flag_kind { FLAG_STRING, FLAG_BOOLEAN, FLAG_DURATION, FLAG_FUNCTION };

struct flag {
  const char *name;
  enum flag_kind kind;
  void *target; /* const char **, bool *, int64_t * (nanoseconds), or what the function wants */
  const char *usage;
  char *(*set)(void *target, const char *value); /* NULL or an error */
};

/* Index of the first argument that was not read. */
int flags_parse(const char *program, const struct flag *flags, size_t count, int argument_count, char **arguments);
/* Go's time.ParseDuration. False when it is not one. */
bool parse_duration(const char *text, int64_t *nanoseconds);

#endif

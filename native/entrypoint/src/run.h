/*
 * Running the command of the step.
 *
 * It gets a separate process group, /dev/null as stdin, and every signal that we get except SIGCHLD. A timeout or a
 * cancelled run ends the whole group with SIGKILL; upstream kills the first process only and leaves the rest to the
 * container's end.
 */
#ifndef ENTRYPOINT_RUN_H
#define ENTRYPOINT_RUN_H

#include "memory.h"

#include <stdint.h>

enum run_end { RUN_EXITED, RUN_TIMED_OUT, RUN_CANCELLED, RUN_FAILED };

struct run_outcome {
  enum run_end end;
  int code;    /* of RUN_EXITED; -1 when a signal ended it, as Go has it */
  char *error; /* of RUN_FAILED: it could not be started */
};

struct run_options {
  const struct text_list *command;
  const char *stdout_path;
  const char *stderr_path;
  const char *cancel_file;
  int64_t timeout; /* nanoseconds, 0 for none */
};

struct run_outcome run_command(const struct run_options *options);

#endif

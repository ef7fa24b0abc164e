/* Finding and starting the program of a step. */
#ifndef ENTRYPOINT_START_H
#define ENTRYPOINT_START_H

#include "memory.h"

#include <signal.h>
#include <sys/types.h>

struct start_options {
  const struct text_list *command;
  const sigset_t *signal_mask; /* for the child */
  int stdout_descriptor;       /* -1: ours */
  int stderr_descriptor;
};

/* NULL and the process, or an error in Go's words. */
char *start_process(const struct start_options *options, pid_t *process);

#endif

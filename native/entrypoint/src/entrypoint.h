/* One step, from waiting for its turn to its termination message. */
#ifndef ENTRYPOINT_ENTRYPOINT_H
#define ENTRYPOINT_ENTRYPOINT_H

#include "when.h"

#include <stdint.h>

struct step {
  struct text_list command;
  struct whens whens;
  const char *wait_files;
  bool wait_for_content;
  const char *post_file;
  const char *termination_path;
  const char *results;
  const char *step_results;
  int64_t timeout;
  const char *stdout_path;
  const char *stderr_path;
  bool breakpoint_on_failure;
  bool debug_before_step;
  const char *on_error;
  const char *metadata_folder;
  const char *results_from;
  bool compress;
};

/* The exit code of the program. */
int run_step(struct step *step);

#endif

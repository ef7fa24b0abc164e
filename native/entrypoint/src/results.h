/* Results and artifacts that a step left on disk. */
#ifndef ENTRYPOINT_RESULTS_H
#define ENTRYPOINT_RESULTS_H

#include "termination.h"

struct results {
  struct entries entries;
  const char *error; /* the first file that could not be read; message_too_long for one far too large */
};

/* The named files of a folder; those that do not exist are left out. */
struct results read_results(const char *folder, const struct text_list *names, enum entry_type type);
/* Artifacts of the step and of the task, by path. */
struct results read_artifacts(const char *metadata_folder);

#endif

/* When expressions of a step: input/operator/values, and CEL. */
#ifndef ENTRYPOINT_WHEN_H
#define ENTRYPOINT_WHEN_H

#include "memory.h"

struct when {
  struct text input;
  struct text operator_name;
  struct text_list values;
  struct text cel;
};

struct whens {
  struct when *items;
  size_t count;
};

char *when_parse(const char *document, struct whens *whens);
/* Whether the step may run. NULL or an error. */
char *when_allows(const struct whens *whens, bool *allowed);

#endif

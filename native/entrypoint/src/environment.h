/* The environment of this process, changed in place. */
#ifndef ENTRYPOINT_ENVIRONMENT_H
#define ENTRYPOINT_ENVIRONMENT_H

#include "memory.h"

/* Passes each value through `replace` (NULL or an error) and stores what it returns. */
char *environment_replace(char *(*replace)(struct text value, struct text *replaced));

#endif

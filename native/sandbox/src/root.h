/*
 * The root of a container, in a separate mount namespace.
 *
 * Every source and mount point is opened once, and mounted by its descriptor: what a container exchanges in a volume at the same
 * time cannot lead a mount elsewhere. Mount points are resolved within the new root. A source that the caller has opened must
 * still be the same file. The old root is unmounted before anything of the container runs.
 */
#ifndef SANDBOX_ROOT_H
#define SANDBOX_ROOT_H

#include "job.h"

/* Builds the root of the job and makes it the root of this process. */
void enter_root(const struct job *job);

/* Opens a new terminal of this container: its master, with the name of the other side in `name`. */
int open_terminal(char *name, size_t size);

#endif

/* Files and folders below one root, reached without ever leaving it. */
#ifndef LAYERS_TREE_H
#define LAYERS_TREE_H

#include <stdbool.h>

/* Opens a folder below the root, with links resolved as if the root were `/`. -1 and errno when it cannot be. */
int open_beneath(int root, const char *path);
/* Removes a name of a folder, and everything below it. */
void remove_entry(int folder, const char *name);
/* Removes everything in a folder. */
void remove_content(int folder);

#endif

/* The user namespace of a user who is not root: inside, files may belong to all the users that the machine grants. */
#ifndef LAYERS_NAMESPACE_H
#define LAYERS_NAMESPACE_H

#include <stdbool.h>

/*
 * Ranges are `START:COUNT` of /etc/subuid and /etc/subgid, or NULL: then root is the only user inside. The user is root inside,
 * and the range begins at id 1. Returns whether files can belong to others. Ends the program where there can be no namespace.
 */
bool enter_user_namespace(const char *users, const char *groups);

#endif

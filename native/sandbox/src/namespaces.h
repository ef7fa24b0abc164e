/*
 * Namespaces: the user namespace of an ordinary user, those of a new container, and those of a running one.
 */
#ifndef SANDBOX_NAMESPACES_H
#define SANDBOX_NAMESPACES_H

#include "job.h"

#include <sys/types.h>

/*
 * Enters the user namespace that the arguments describe, as its root:
 *   none           no other one
 *   join:PID       that of a process
 *   self:UID:GID   a new one, with one user: this one
 */
void enter_user_namespace(const char *description);

/* Gives the only user of the namespace another name, in a namespace within. */
void rename_user(uint32_t uid, uint32_t gid);

/* Joins a namespace of a process: "user", "mnt", "pid", "ipc", "uts", "cgroup" or "net". */
void join_namespace(uint32_t pid, const char *name);

/* An open namespace of a process. */
int open_namespace(uint32_t pid, const char *name);

#endif

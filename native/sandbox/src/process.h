/*
 * The container's own program: gives up every right that it shall not have, without a way back, and becomes it.
 */
#ifndef SANDBOX_PROCESS_H
#define SANDBOX_PROCESS_H

#include "job.h"

/* How the first process and the one that waits for it talk: it sends these bytes, then closes by becoming the program. */
#define LINK_RUNNING 'G'
#define LINK_FAILED 'F'
#define LINK_TERMINAL 'T'

/* Set in the process that becomes the program. */
extern int link_socket;

/* Joins the cgroups of the job. */
void join_cgroups(const struct job *job);

/* Sets the sysctls of the job, which are those of the namespaces that this process is in. */
void set_sysctls(const struct job *job);

/*
 * `user_namespace` is one to join last, or NO_DESCRIPTOR. Nothing but the control socket and the link may be open beyond the
 * standard descriptors: a working folder or program like /proc/self/fd/7 would lead to the machine.
 */
_Noreturn void become_program(const struct job *job, int user_namespace);

#endif

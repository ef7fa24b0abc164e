/*
 * The filter of system calls.
 *
 * A profile is an action for all calls, and rules that give calls another one, some only for certain arguments. The first rule
 * that fits decides. Calls that are newer than this program fail with ENOSYS under a profile that denies by default, so that
 * programs fall back to older ones. Calls of another architecture (32-bit programs) are denied.
 */
#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H

#include "job.h"

bool seccomp_is_action(uint32_t action);

/*
 * A rule of a job: action, number of conditions, conditions (argument, operator, value, mask: 4, 4, 8 and 8 bytes), then
 * names of system calls. NULL, or why it is no valid one. Names that this machine does not have are ignored, as engines do.
 */
const char *seccomp_check_rule(const unsigned char *bytes, size_t length);

/* Installs the filter of the job. False with errno when the kernel denies it. */
bool seccomp_install(const struct job *job);

#endif

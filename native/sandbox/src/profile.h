/*
 * The default profile: which system calls a container may use. It is the usual one of container engines: all that programs
 * need, without what loads code into the kernel, changes the machine, or has namespaces and other processes as its object.
 * Some of those come with the capability that they need.
 */
#ifndef SANDBOX_PROFILE_H
#define SANDBOX_PROFILE_H

#include <stdint.h>

/* Names, ended by NULL. */
extern const char *const profile_allowed[];

struct profile_capability {
  int capability;
  const char *const *names;
};

/* Calls that a capability allows; ended by names that are NULL. */
extern const struct profile_capability profile_by_capability[];

#endif

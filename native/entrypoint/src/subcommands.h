/*
 * The subcommands of the init containers of a Pod, and the other programs of Tekton's images, which this program
 * replaces.
 */
#ifndef ENTRYPOINT_SUBCOMMANDS_H
#define ENTRYPOINT_SUBCOMMANDS_H

#include "memory.h"

/* init, cp, decode-script, step-init. False when the arguments name none of them; else sets the exit code. */
bool run_subcommand(int count, char **arguments, int *code);

int nop_main(int count, char **arguments);
int workingdirinit_main(int count, char **arguments);
int sidecarlogresults_main(int count, char **arguments);

#endif

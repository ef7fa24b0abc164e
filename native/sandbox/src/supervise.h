/*
 * The process that waits for a container's first one: forwards signals, carries a terminal's input and output, and ends as the
 * container did. When the caller closes the control socket, or dies, the container is killed.
 *
 * The caller may send frames (see report.h):
 *   K  a signal for the first process (four bytes)
 *   R  a new size of the terminal: rows and columns (two bytes each)
 */
#ifndef SANDBOX_SUPERVISE_H
#define SANDBOX_SUPERVISE_H

#include "job.h"

#include <sys/types.h>

/* Blocks the signals that are to be forwarded. Before the first process is made. */
void block_signals(void);

/* `link` is the socket to the first process. Ends this process. */
_Noreturn void supervise(pid_t first, int link);

#endif

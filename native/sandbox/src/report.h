/*
 * Reports to the process that started this one, over the control socket.
 *
 * A frame is a kind (one byte), three zero bytes, the length of its content (four bytes, little endian) and the content:
 *   S  the container's program runs; its PID as the caller counts (four bytes)
 *   E  it never will; why, as text
 *   X  it ended; exit code and signal (four bytes each; one of them is 0)
 */
#ifndef SANDBOX_REPORT_H
#define SANDBOX_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* The socket on which the job comes and reports go. */
#define CONTROL 3
/* The exit code of a sandbox that could not start its program, as engines have it. */
#define EXIT_NOT_STARTED 128

void report_started(uint32_t pid);
void report_exit(uint32_t code, uint32_t signal);

/* Runs once, before the process ends with an error. */
extern void (*before_failure)(void);

/* Reports an error and ends the process. */
_Noreturn void fail(const char *template, ...) __attribute__((format(printf, 1, 2)));

/* The number of a system error in Go's words, which kubelets use. */
const char *go_error(int number);

uint32_t read_u32(const unsigned char *bytes);
uint64_t read_u64(const unsigned char *bytes);

#endif

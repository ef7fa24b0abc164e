/*
 * Answers to the process that started this one, over the control socket.
 *
 * A frame has the length of what follows it, the number of the command that it answers, whether that failed (1) or not (0), and
 * the content: a number, or an error as text. All numbers have four bytes, little endian. Command 0 is the start of this program.
 */
#ifndef NETWORK_REPORT_H
#define NETWORK_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* Commands come and answers go here. */
#define CONTROL 3
/* Sockets go here, in the form of Node's channel between processes. */
#define HANDLES 4
#define EXIT_FAILED 1

/* The command that is carried out now. */
extern uint32_t current_command;

/* A command succeeded; `number` is its answer. */
void report_done(uint32_t number);

/* A command failed; this program goes on. */
void report_error(const char *template, ...) __attribute__((format(printf, 1, 2)));

/* This program cannot go on. */
_Noreturn void fail(const char *template, ...) __attribute__((format(printf, 1, 2)));

uint32_t read_u32(const unsigned char *bytes);

#endif

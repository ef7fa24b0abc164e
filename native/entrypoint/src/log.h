/* Lines on stderr, in the form of Go's log package: "2026/01/02 03:04:05 message". Logs of upstream's program look the same. */
#ifndef ENTRYPOINT_LOG_H
#define ENTRYPOINT_LOG_H

#include "memory.h"

void log_line(const char *template, ...) __attribute__((format(printf, 1, 2)));
/* Logs and ends the program with code 1. */
_Noreturn void log_fatal(const char *template, ...) __attribute__((format(printf, 1, 2)));
/* "LEVEL message", and ` error="..."` where there is one. */
void log_level(const char *level, const char *message, const char *error);
/* The text as Go's %q prints it. */
char *quoted(const char *string);
/* The text of an errno in Go's messages. */
char *errno_text(int error);
/* "open /path: no such file or directory" */
char *path_error(const char *operation, const char *path, int error);

#endif

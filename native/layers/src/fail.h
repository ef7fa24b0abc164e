/* Errors end the program: one line `CODE text` on standard error, and exit code 1. The caller reads the code. */
#ifndef LAYERS_FAIL_H
#define LAYERS_FAIL_H

/* The archive names something outside of its root, or is malformed. */
#define UNSAFE_LAYER "UNSAFE_LAYER"
#define TOO_LARGE "TOO_LARGE"
#define UNPACK_FAILED "UNPACK_FAILED"
/* This user may not make a user namespace. The caller may try again without. */
#define NO_NAMESPACE "NO_NAMESPACE"

__attribute__((noreturn, format(printf, 2, 3))) void fail(const char *code, const char *template, ...);
/* The same with the text of errno. */
__attribute__((noreturn)) void fail_errno(const char *code, const char *act, const char *path);

#endif

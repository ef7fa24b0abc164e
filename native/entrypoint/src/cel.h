/*
 * CEL for when expressions of a step.
 *
 * Upstream gives such expressions no variables, so they are constants once references are replaced: literals (string,
 * int, uint, double, bool, null, list), == != < <= > >= in && || ! ?: + - * / %, indexing, parentheses, size(),
 * startsWith(), endsWith(), contains(), matches(), int(), double(), string(), bool(). Both sides of && and || are
 * always evaluated, so a type error is found wherever it stands, as upstream's type checker does. Unsupported parts
 * (maps, bytes, timestamps, macros) are errors that say so.
 */
#ifndef ENTRYPOINT_CEL_H
#define ENTRYPOINT_CEL_H

#include "memory.h"

char *cel_evaluate(struct text expression, bool *value);

/* A regular expression of RE2's syntax on a text, through POSIX. NULL or an error. */
char *regular_expression_matches(struct text text, struct text pattern, bool *matched);

#endif

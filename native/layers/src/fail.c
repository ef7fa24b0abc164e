#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *code, const char *template, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, template);
  vsnprintf(text, sizeof text, template, arguments);
  va_end(arguments);
  /* Names come from archives: a line stays a line, and a terminal sees no control characters. */
  for (char *at = text; *at != '\0'; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = '?';
  fprintf(stderr, "%s %s\n", code, text);
  exit(1);
}

void fail_errno(const char *code, const char *act, const char *path) {
  fail(code, "%s %.400s: %s", act, path, strerror(errno));
}

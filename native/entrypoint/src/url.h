/* As much of Go's net/url as an annotation with a git URL needs. */
#ifndef ENTRYPOINT_URL_H
#define ENTRYPOINT_URL_H

#include "memory.h"

struct url {
  char *scheme; /* lower case, "" when there is none */
  char *opaque; /* "x" of "scheme:x", NULL otherwise */
  char *host;
  char *path;
  char *rest; /* query and fragment, as written */
};

char *url_parse(const char *text, struct url *url);
char *url_with_login(const struct url *url, struct text username, struct text password);

#endif

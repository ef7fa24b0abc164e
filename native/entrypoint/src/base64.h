/* Standard base64. */
#ifndef ENTRYPOINT_BASE64_H
#define ENTRYPOINT_BASE64_H

#include "memory.h"

void base64_encode(struct buffer *out, const void *bytes, size_t length, bool padded);
/* Strict about padding; ignores line breaks, as Go does. NULL or an error. */
char *base64_decode(const char *text, size_t length, bool padded, struct buffer *out);

#endif

/* UTF-8 as Go's utf8 package reads it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef ENTRYPOINT_UTF8_H
#define ENTRYPOINT_UTF8_H

#include "memory.h"

#include <stdint.h>

/* Length of the character at the beginning, 0 when it is not valid. */
size_t utf8_length(const char *bytes, size_t available);
bool utf8_valid(const char *bytes, size_t length);
/* The character at the beginning, which must be valid. */
uint32_t utf8_decode(const char *bytes);
/* Characters; a byte that is part of none counts as one. */
size_t utf8_count(struct text text);
void utf8_append(struct buffer *buffer, uint32_t character);

#endif

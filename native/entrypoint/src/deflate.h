/*
 * Raw DEFLATE (RFC 1951), for compressed termination messages.
 *
 * One block per message, with fixed or dynamic Huffman codes, whichever is shorter. Messages are small, so the whole
 * input is read, several times, before the first bit is written.
 */
#ifndef ENTRYPOINT_DEFLATE_H
#define ENTRYPOINT_DEFLATE_H

#include "memory.h"

void deflate(const void *bytes, size_t length, struct buffer *out);
/* NULL, or an error: damaged input, or more than `limit` bytes of output. */
char *inflate(const void *bytes, size_t length, size_t limit, struct buffer *out);

#endif

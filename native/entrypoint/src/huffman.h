/* Huffman codes and the tables of RFC 1951, for both directions. */
#ifndef ENTRYPOINT_HUFFMAN_H
#define ENTRYPOINT_HUFFMAN_H

#include <stdint.h>

enum { LITERAL_CODES = 286, DISTANCE_CODES = 30, LENGTH_CODES = 29, RUN_CODES = 19, ALL_LITERAL_CODES = 288 };

struct huffman {
  uint8_t lengths[ALL_LITERAL_CODES];
  uint16_t codes[ALL_LITERAL_CODES]; /* bits in the order in which they are written */
};

extern const uint16_t length_bases[LENGTH_CODES];
extern const uint8_t length_extra[LENGTH_CODES];
extern const uint16_t distance_bases[DISTANCE_CODES];
extern const uint8_t distance_extra[DISTANCE_CODES];
/* The order in which lengths of the run-length code are written. */
extern const uint8_t run_order[RUN_CODES];

/* Code lengths no longer than `limit` for these frequencies, and their codes. */
void huffman_build(struct huffman *code, const uint32_t *frequencies, unsigned count, unsigned limit);
void huffman_fixed(struct huffman *literals, struct huffman *distances);

#endif

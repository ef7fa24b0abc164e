#include "huffman.h"

#include <stdbool.h>
#include <string.h>

const uint16_t length_bases[LENGTH_CODES] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
const uint8_t length_extra[LENGTH_CODES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
const uint16_t distance_bases[DISTANCE_CODES] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                                 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
const uint8_t distance_extra[DISTANCE_CODES] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
const uint8_t run_order[RUN_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static void assign_codes(struct huffman *code, unsigned count) {
  unsigned per_length[16] = {0};
  unsigned next[16] = {0};
  for (unsigned i = 0; i < count; i++) per_length[code->lengths[i]]++;
  per_length[0] = 0;
  for (unsigned length = 1; length < 16; length++) next[length] = (next[length - 1] + per_length[length - 1]) << 1;
  for (unsigned i = 0; i < count; i++) {
    unsigned length = code->lengths[i];
    unsigned value = length == 0 ? 0 : next[length]++;
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < length; bit++) reversed |= (value >> bit & 1u) << (length - 1 - bit);
    code->codes[i] = (uint16_t)reversed;
  }
}

/* Plain Huffman over at most 286 symbols; true when no code is longer than the limit. */
static bool find_lengths(uint8_t *lengths, const uint32_t *weights, unsigned count, unsigned limit) {
  uint64_t weight[2 * ALL_LITERAL_CODES];
  uint16_t parent[2 * ALL_LITERAL_CODES] = {0};
  bool open[2 * ALL_LITERAL_CODES] = {false};
  unsigned remaining = 0;
  for (unsigned i = 0; i < count; i++) {
    weight[i] = weights[i];
    open[i] = weights[i] > 0;
    if (open[i]) remaining++;
  }
  unsigned nodes = count;
  for (; remaining > 1; remaining--) {
    unsigned least = UINT16_MAX;
    unsigned second = UINT16_MAX;
    for (unsigned i = 0; i < nodes; i++) {
      if (!open[i]) continue;
      if (least == UINT16_MAX || weight[i] < weight[least]) {
        second = least;
        least = i;
      } else if (second == UINT16_MAX || weight[i] < weight[second]) {
        second = i;
      }
    }
    open[least] = false;
    open[second] = false;
    parent[least] = (uint16_t)nodes;
    parent[second] = (uint16_t)nodes;
    weight[nodes] = weight[least] + weight[second];
    open[nodes] = true;
    nodes++;
  }
  bool fits = true;
  for (unsigned i = 0; i < count; i++) {
    unsigned length = 0;
    for (unsigned node = i; weights[i] > 0 && parent[node] != 0; node = parent[node]) length++;
    if (length > limit) fits = false;
    lengths[i] = (uint8_t)(length > limit ? limit : length);
  }
  return fits;
}

void huffman_build(struct huffman *code, const uint32_t *frequencies, unsigned count, unsigned limit) {
  uint32_t weights[ALL_LITERAL_CODES];
  memset(code, 0, sizeof *code);
  memcpy(weights, frequencies, count * sizeof *weights);
  /* Two codes at least: some readers refuse a code of one symbol only. */
  unsigned used = 0;
  for (unsigned i = 0; i < count; i++) used += weights[i] > 0;
  for (unsigned i = 0; i < count && used < 2; i++) {
    if (weights[i] == 0) {
      weights[i] = 1;
      used++;
    }
  }
  /* Flatter weights give shorter codes; halving ends with weights of 1 and 2, whose codes are short enough. */
  while (!find_lengths(code->lengths, weights, count, limit)) {
    for (unsigned i = 0; i < count; i++) {
      if (weights[i] > 0) weights[i] = weights[i] / 2 + 1;
    }
  }
  assign_codes(code, count);
}

void huffman_fixed(struct huffman *literals, struct huffman *distances) {
  memset(literals, 0, sizeof *literals);
  memset(distances, 0, sizeof *distances);
  for (unsigned i = 0; i < ALL_LITERAL_CODES; i++) {
    literals->lengths[i] = (uint8_t)(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  }
  for (unsigned i = 0; i < DISTANCE_CODES; i++) distances->lengths[i] = 5;
  assign_codes(literals, ALL_LITERAL_CODES);
  assign_codes(distances, DISTANCE_CODES);
}

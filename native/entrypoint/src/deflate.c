#include "deflate.h"

#include "huffman.h"

#include <stdint.h>
#include <string.h>

enum {
  WINDOW = 32768,
  MINIMUM_MATCH = 3,
  MAXIMUM_MATCH = 258,
  HASH_BITS = 13,
  MAXIMUM_CHAIN = 256,
  END_OF_BLOCK = 256,
};

/* A literal byte (distance 0) or a match. */
struct token {
  uint16_t length_or_byte;
  uint16_t distance;
};

struct tokens {
  struct token *items;
  size_t count;
};

struct bits {
  struct buffer *out;
  uint64_t pending;
  unsigned count;
};

static void put(struct bits *bits, uint32_t value, unsigned width) {
  bits->pending |= (uint64_t)value << bits->count;
  bits->count += width;
  while (bits->count >= 8) {
    buffer_add_byte(bits->out, (char)(bits->pending & 0xff));
    bits->pending >>= 8;
    bits->count -= 8;
  }
}

static void flush(struct bits *bits) {
  if (bits->count > 0) buffer_add_byte(bits->out, (char)(bits->pending & 0xff));
  bits->pending = 0;
  bits->count = 0;
}

static uint32_t hash3(const unsigned char *p) {
  uint32_t value = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
  return value * 2654435761u >> (32 - HASH_BITS);
}

struct matcher {
  const unsigned char *in;
  size_t length;
  size_t *head;     /* by hash: position + 1 of its newest occurrence */
  size_t *previous; /* by position modulo the window */
};

static void remember(struct matcher *matcher, size_t at) {
  if (matcher->length - at < MINIMUM_MATCH) return;
  uint32_t hash = hash3(matcher->in + at);
  matcher->previous[at % WINDOW] = matcher->head[hash];
  matcher->head[hash] = at + 1;
}

static size_t longest_match(const struct matcher *matcher, size_t at, size_t shortest, size_t *distance) {
  size_t available = matcher->length - at;
  if (available < MINIMUM_MATCH) return 0;
  if (available > MAXIMUM_MATCH) available = MAXIMUM_MATCH;
  size_t best = 0;
  size_t candidate = matcher->head[hash3(matcher->in + at)];
  for (int chain = 0; candidate != 0 && chain < MAXIMUM_CHAIN; chain++) {
    size_t from = candidate - 1;
    if (at - from > WINDOW) break;
    size_t length = 0;
    while (length < available && matcher->in[from + length] == matcher->in[at + length]) length++;
    if (length > best) {
      best = length;
      *distance = at - from;
      if (best == available) break;
    }
    size_t older = matcher->previous[from % WINDOW];
    if (older >= candidate) break; /* the slot was taken by a newer position */
    candidate = older;
  }
  return best >= shortest ? best : 0;
}

/* Lazy matching: a match gives way to a longer one that begins a byte later. */
static struct tokens find_tokens(const unsigned char *in, size_t length, size_t shortest) {
  struct matcher matcher = {
      .in = in,
      .length = length,
      .head = allocate_array((size_t)1 << HASH_BITS, sizeof(size_t)),
      .previous = allocate_array(WINDOW, sizeof(size_t)),
  };
  struct tokens tokens = {.items = allocate_array(length + 1, sizeof(struct token))};
  for (size_t at = 0; at < length;) {
    size_t distance = 0;
    size_t match = longest_match(&matcher, at, shortest, &distance);
    remember(&matcher, at);
    if (match > 0 && match < MAXIMUM_MATCH && at + 1 < length) {
      size_t next_distance = 0;
      if (longest_match(&matcher, at + 1, shortest, &next_distance) > match) match = 0;
    }
    if (match == 0) {
      tokens.items[tokens.count++] = (struct token){in[at++], 0};
      continue;
    }
    tokens.items[tokens.count++] = (struct token){(uint16_t)match, (uint16_t)distance};
    for (size_t i = 1; i < match; i++) remember(&matcher, at + i);
    at += match;
  }
  release(matcher.head);
  release(matcher.previous);
  return tokens;
}

static unsigned symbol_for(unsigned value, const uint16_t *bases, unsigned count) {
  unsigned symbol = count - 1;
  while (bases[symbol] > value) symbol--;
  return symbol;
}

static unsigned length_symbol(unsigned length) {
  /* 258 has a separate code, although 227 + 31 would reach it. */
  return length == MAXIMUM_MATCH ? LENGTH_CODES - 1 : symbol_for(length, length_bases, LENGTH_CODES - 1);
}

static void write_tokens(struct bits *bits, const struct tokens *tokens, const struct huffman *literals,
                         const struct huffman *distances) {
  for (size_t i = 0; i < tokens->count; i++) {
    struct token token = tokens->items[i];
    if (token.distance == 0) {
      put(bits, literals->codes[token.length_or_byte], literals->lengths[token.length_or_byte]);
      continue;
    }
    unsigned symbol = length_symbol(token.length_or_byte);
    put(bits, literals->codes[257 + symbol], literals->lengths[257 + symbol]);
    put(bits, (uint32_t)(token.length_or_byte - length_bases[symbol]), length_extra[symbol]);
    symbol = symbol_for(token.distance, distance_bases, DISTANCE_CODES);
    put(bits, distances->codes[symbol], distances->lengths[symbol]);
    put(bits, (uint32_t)(token.distance - distance_bases[symbol]), distance_extra[symbol]);
  }
  put(bits, literals->codes[END_OF_BLOCK], literals->lengths[END_OF_BLOCK]);
}

/* The two tables of code lengths, run-length coded as RFC 1951 3.2.7 has it. */
struct run {
  uint8_t symbol;
  uint8_t extra;
  uint8_t extra_bits;
};

static size_t find_runs(const uint8_t *lengths, size_t count, struct run *runs) {
  size_t used = 0;
  for (size_t i = 0; i < count;) {
    size_t same = 1;
    while (i + same < count && lengths[i + same] == lengths[i]) same++;
    if (lengths[i] == 0 && same >= 3) {
      if (same > 138) same = 138;
      runs[used++] = same <= 10 ? (struct run){17, (uint8_t)(same - 3), 3} : (struct run){18, (uint8_t)(same - 11), 7};
    } else if (same >= 4) {
      if (same > 7) same = 7;
      runs[used++] = (struct run){(uint8_t)lengths[i], 0, 0};
      runs[used++] = (struct run){16, (uint8_t)(same - 4), 2};
    } else {
      same = 1;
      runs[used++] = (struct run){(uint8_t)lengths[i], 0, 0};
    }
    i += same;
  }
  return used;
}

static void write_dynamic(struct buffer *out, const struct tokens *tokens, const uint32_t *literal_counts,
                          const uint32_t *distance_counts) {
  struct huffman literals;
  struct huffman distances;
  huffman_build(&literals, literal_counts, LITERAL_CODES, 15);
  huffman_build(&distances, distance_counts, DISTANCE_CODES, 15);
  unsigned literal_used = LITERAL_CODES;
  while (literal_used > 257 && literals.lengths[literal_used - 1] == 0) literal_used--;
  unsigned distance_used = DISTANCE_CODES;
  while (distance_used > 1 && distances.lengths[distance_used - 1] == 0) distance_used--;

  uint8_t lengths[LITERAL_CODES + DISTANCE_CODES];
  memcpy(lengths, literals.lengths, literal_used);
  memcpy(lengths + literal_used, distances.lengths, distance_used);
  struct run runs[LITERAL_CODES + DISTANCE_CODES];
  size_t run_count = find_runs(lengths, literal_used + distance_used, runs);
  uint32_t run_frequencies[RUN_CODES] = {0};
  for (size_t i = 0; i < run_count; i++) run_frequencies[runs[i].symbol]++;
  struct huffman run_code;
  huffman_build(&run_code, run_frequencies, RUN_CODES, 7);
  unsigned run_used = RUN_CODES;
  while (run_used > 4 && run_code.lengths[run_order[run_used - 1]] == 0) run_used--;

  struct bits bits = {.out = out};
  put(&bits, 1, 1); /* last block */
  put(&bits, 2, 2); /* dynamic codes */
  put(&bits, literal_used - 257, 5);
  put(&bits, distance_used - 1, 5);
  put(&bits, run_used - 4, 4);
  for (unsigned i = 0; i < run_used; i++) put(&bits, run_code.lengths[run_order[i]], 3);
  for (size_t i = 0; i < run_count; i++) {
    put(&bits, run_code.codes[runs[i].symbol], run_code.lengths[runs[i].symbol]);
    put(&bits, runs[i].extra, runs[i].extra_bits);
  }
  write_tokens(&bits, tokens, &literals, &distances);
  flush(&bits);
}

static void write_fixed(struct buffer *out, const struct tokens *tokens) {
  struct huffman literals;
  struct huffman distances;
  huffman_fixed(&literals, &distances);
  struct bits bits = {.out = out};
  put(&bits, 1, 1); /* last block */
  put(&bits, 1, 2); /* fixed codes */
  write_tokens(&bits, tokens, &literals, &distances);
  flush(&bits);
}

static void write_dynamic_or_fixed(const struct tokens *tokens, struct buffer *best) {
  uint32_t literal_counts[LITERAL_CODES] = {0};
  uint32_t distance_counts[DISTANCE_CODES] = {0};
  for (size_t i = 0; i < tokens->count; i++) {
    struct token token = tokens->items[i];
    if (token.distance == 0) {
      literal_counts[token.length_or_byte]++;
    } else {
      literal_counts[257 + length_symbol(token.length_or_byte)]++;
      distance_counts[symbol_for(token.distance, distance_bases, DISTANCE_CODES)]++;
    }
  }
  literal_counts[END_OF_BLOCK] = 1;
  struct buffer candidates[2] = {{0}, {0}};
  write_fixed(&candidates[0], tokens);
  write_dynamic(&candidates[1], tokens, literal_counts, distance_counts);
  for (size_t i = 0; i < 2; i++) {
    if (best->length == 0 || candidates[i].length < best->length) {
      buffer_release(best);
      *best = candidates[i];
    } else {
      buffer_release(&candidates[i]);
    }
  }
}

/* Short matches pay in text, not in digests, where a few literals cost less. Messages are short enough to try both. */
void deflate(const void *bytes, size_t length, struct buffer *out) {
  static const size_t shortest[] = {MINIMUM_MATCH, 5, 8};
  struct buffer best = {0};
  for (size_t i = 0; i < sizeof shortest / sizeof shortest[0]; i++) {
    struct tokens tokens = find_tokens(bytes, length, shortest[i]);
    write_dynamic_or_fixed(&tokens, &best);
    release(tokens.items);
  }
  buffer_append(out, best.data, best.length);
  buffer_release(&best);
}

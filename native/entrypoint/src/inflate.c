#include "deflate.h"
#include "huffman.h"

#include <stdint.h>
#include <string.h>

struct reader {
  const unsigned char *in;
  size_t length;
  size_t at;
  uint32_t pending;
  unsigned count;
  bool short_of_input;
};

/* How many codes of each length there are, and the symbols in the order of their codes. */
struct decoder {
  uint16_t counts[16];
  uint16_t symbols[ALL_LITERAL_CODES];
};

static uint32_t take(struct reader *reader, unsigned width) {
  while (reader->count < width) {
    if (reader->at >= reader->length) {
      reader->short_of_input = true;
      return 0;
    }
    reader->pending |= (uint32_t)reader->in[reader->at++] << reader->count;
    reader->count += 8;
  }
  uint32_t value = reader->pending & ((1u << width) - 1);
  reader->pending >>= width;
  reader->count -= width;
  return value;
}

/* False when the lengths promise more codes than there are. */
static bool make_decoder(struct decoder *decoder, const uint8_t *lengths, unsigned count) {
  uint16_t offsets[16] = {0};
  memset(decoder, 0, sizeof *decoder);
  for (unsigned i = 0; i < count; i++) decoder->counts[lengths[i]]++;
  decoder->counts[0] = 0;
  int left = 1;
  for (unsigned length = 1; length < 16; length++) {
    left = left * 2 - decoder->counts[length];
    if (left < 0) return false;
  }
  for (unsigned length = 1; length < 15; length++) offsets[length + 1] = (uint16_t)(offsets[length] + decoder->counts[length]);
  for (unsigned i = 0; i < count; i++) {
    if (lengths[i] != 0) decoder->symbols[offsets[lengths[i]]++] = (uint16_t)i;
  }
  return true;
}

/* The next symbol, or -1. */
static int decode(struct reader *reader, const struct decoder *decoder) {
  int code = 0;
  int first = 0;
  int index = 0;
  for (unsigned length = 1; length < 16; length++) {
    code |= (int)take(reader, 1);
    if (reader->short_of_input) return -1;
    int count = decoder->counts[length];
    if (code - first < count) return decoder->symbols[index + (code - first)];
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return -1;
}

static bool read_dynamic(struct reader *reader, struct decoder *literals, struct decoder *distances) {
  unsigned literal_count = take(reader, 5) + 257;
  unsigned distance_count = take(reader, 5) + 1;
  unsigned run_count = take(reader, 4) + 4;
  if (reader->short_of_input || literal_count > LITERAL_CODES || distance_count > DISTANCE_CODES) return false;
  uint8_t lengths[LITERAL_CODES + DISTANCE_CODES] = {0};
  for (unsigned i = 0; i < run_count; i++) lengths[run_order[i]] = (uint8_t)take(reader, 3);
  struct decoder runs;
  if (reader->short_of_input || !make_decoder(&runs, lengths, RUN_CODES)) return false;
  memset(lengths, 0, sizeof lengths);
  for (unsigned i = 0; i < literal_count + distance_count;) {
    int symbol = decode(reader, &runs);
    if (symbol < 0) return false;
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && i == 0) return false;
    uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    unsigned repeat = symbol == 16 ? 3 + take(reader, 2) : symbol == 17 ? 3 + take(reader, 3) : 11 + take(reader, 7);
    if (reader->short_of_input || i + repeat > literal_count + distance_count) return false;
    while (repeat-- > 0) lengths[i++] = value;
  }
  return make_decoder(literals, lengths, literal_count) && make_decoder(distances, lengths + literal_count, distance_count);
}

static bool read_codes(struct reader *reader, size_t limit, struct buffer *out, const struct decoder *literals,
                       const struct decoder *distances) {
  for (;;) {
    int symbol = decode(reader, literals);
    if (symbol < 0) return false;
    if (symbol == 256) return true;
    if (out->length > limit) return true; /* the caller sees that it is too long */
    if (symbol < 256) {
      buffer_add_byte(out, (char)symbol);
      continue;
    }
    symbol -= 257;
    if (symbol >= LENGTH_CODES) return false;
    size_t length = length_bases[symbol] + take(reader, length_extra[symbol]);
    symbol = decode(reader, distances);
    if (symbol < 0 || symbol >= DISTANCE_CODES) return false;
    size_t distance = distance_bases[symbol] + take(reader, distance_extra[symbol]);
    if (reader->short_of_input || distance > out->length) return false;
    while (length-- > 0) buffer_add_byte(out, out->data[out->length - distance]);
  }
}

static bool read_stored(struct reader *reader, struct buffer *out) {
  reader->pending = 0;
  reader->count = 0;
  if (reader->length - reader->at < 4) return false;
  const unsigned char *p = reader->in + reader->at;
  size_t size = (size_t)p[0] | (size_t)p[1] << 8;
  size_t check = (size_t)p[2] | (size_t)p[3] << 8;
  reader->at += 4;
  if ((size ^ check) != 0xffff || reader->length - reader->at < size) return false;
  buffer_append(out, reader->in + reader->at, size);
  reader->at += size;
  return true;
}

char *inflate(const void *bytes, size_t length, size_t limit, struct buffer *out) {
  struct reader reader = {.in = bytes, .length = length};
  for (bool last = false; !last;) {
    last = take(&reader, 1) == 1;
    uint32_t kind = take(&reader, 2);
    bool good = !reader.short_of_input;
    struct decoder literals;
    struct decoder distances;
    if (good && kind == 0) {
      good = read_stored(&reader, out);
    } else if (good && kind == 1) {
      struct huffman fixed_literals;
      struct huffman fixed_distances;
      huffman_fixed(&fixed_literals, &fixed_distances);
      good = make_decoder(&literals, fixed_literals.lengths, ALL_LITERAL_CODES) &&
             make_decoder(&distances, fixed_distances.lengths, DISTANCE_CODES) &&
             read_codes(&reader, limit, out, &literals, &distances);
    } else if (good && kind == 2) {
      good = read_dynamic(&reader, &literals, &distances) && read_codes(&reader, limit, out, &literals, &distances);
    } else {
      good = false;
    }
    if (!good) return copy_string(reader.short_of_input ? "unexpected EOF" : "flate: corrupt input");
    if (out->length > limit) return format("decompressed termination message exceeds %zu byte limit", limit);
  }
  return NULL;
}

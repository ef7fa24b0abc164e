#include "base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct buffer *out, const void *bytes, size_t length, bool padded) {
  const unsigned char *in = bytes;
  for (size_t i = 0; i < length; i += 3) {
    size_t have = length - i < 3 ? length - i : 3;
    uint32_t group = (uint32_t)in[i] << 16;
    if (have > 1) group |= (uint32_t)in[i + 1] << 8;
    if (have > 2) group |= in[i + 2];
    char quad[4] = {alphabet[group >> 18 & 63], alphabet[group >> 12 & 63], alphabet[group >> 6 & 63], alphabet[group & 63]};
    size_t digits = have + 1;
    if (padded) {
      while (digits < 4) quad[digits++] = '=';
    }
    buffer_append(out, quad, digits);
  }
}

static int digit_value(char c) {
  const char *found = c == '\0' ? NULL : strchr(alphabet, c);
  return found == NULL ? -1 : (int)(found - alphabet);
}

static char *illegal(size_t at) { return format("illegal base64 data at input byte %zu", at); }

static void emit(struct buffer *out, uint32_t group, size_t digits) {
  group <<= 6 * (4 - digits);
  const char bytes[3] = {(char)(group >> 16 & 0xff), (char)(group >> 8 & 0xff), (char)(group & 0xff)};
  buffer_append(out, bytes, digits - 1);
}

static size_t skip_breaks(const char *text, size_t length, size_t i) {
  while (i < length && (text[i] == '\n' || text[i] == '\r')) i++;
  return i;
}

char *base64_decode(const char *text, size_t length, bool padded, struct buffer *out) {
  uint32_t group = 0;
  size_t digits = 0;
  for (size_t i = skip_breaks(text, length, 0); i < length; i = skip_breaks(text, length, i + 1)) {
    int value = digit_value(text[i]);
    if (value >= 0) {
      group = group << 6 | (uint32_t)value;
      if (++digits == 4) {
        emit(out, group, 4);
        group = 0;
        digits = 0;
      }
      continue;
    }
    if (text[i] != '=' || !padded || digits < 2) return illegal(i);
    if (digits == 2) {
      i = skip_breaks(text, length, i + 1);
      if (i >= length || text[i] != '=') return illegal(i >= length ? length : i - 1);
    }
    emit(out, group, digits);
    i = skip_breaks(text, length, i + 1);
    return i < length ? illegal(i) : NULL;
  }
  if (digits == 0) return NULL;
  if (padded || digits == 1) return illegal(length - digits);
  emit(out, group, digits);
  return NULL;
}

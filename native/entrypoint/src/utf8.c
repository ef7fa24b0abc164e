#include "utf8.h"

size_t utf8_length(const char *bytes, size_t available) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (available == 0) return 0;
  if (b[0] < 0x80) return 1;
  size_t size = b[0] >= 0xc2 && b[0] <= 0xdf ? 2 : (b[0] & 0xf0) == 0xe0 ? 3 : b[0] >= 0xf0 && b[0] <= 0xf4 ? 4 : 0;
  if (size == 0 || size > available) return 0;
  for (size_t i = 1; i < size; i++) {
    if ((b[i] & 0xc0) != 0x80) return 0;
  }
  if (b[0] == 0xe0 && b[1] < 0xa0) return 0;
  if (b[0] == 0xed && b[1] > 0x9f) return 0;
  if (b[0] == 0xf0 && b[1] < 0x90) return 0;
  if (b[0] == 0xf4 && b[1] > 0x8f) return 0;
  return size;
}

bool utf8_valid(const char *bytes, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t size = utf8_length(bytes + i, length - i);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

uint32_t utf8_decode(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (b[0] < 0x80) return b[0];
  if (b[0] < 0xe0) return (uint32_t)(b[0] & 0x1f) << 6 | (b[1] & 0x3f);
  if (b[0] < 0xf0) return (uint32_t)(b[0] & 0x0f) << 12 | (uint32_t)(b[1] & 0x3f) << 6 | (b[2] & 0x3f);
  return (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3f) << 12 | (uint32_t)(b[2] & 0x3f) << 6 | (b[3] & 0x3f);
}

size_t utf8_count(struct text text) {
  size_t count = 0;
  for (size_t i = 0; i < text.length; count++) {
    size_t size = utf8_length(text.data + i, text.length - i);
    i += size == 0 ? 1 : size;
  }
  return count;
}

void utf8_append(struct buffer *buffer, uint32_t c) {
  if (c < 0x80) {
    buffer_add_byte(buffer, (char)c);
  } else if (c < 0x800) {
    buffer_add_byte(buffer, (char)(0xc0 | c >> 6));
    buffer_add_byte(buffer, (char)(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    buffer_add_byte(buffer, (char)(0xe0 | c >> 12));
    buffer_add_byte(buffer, (char)(0x80 | (c >> 6 & 0x3f)));
    buffer_add_byte(buffer, (char)(0x80 | (c & 0x3f)));
  } else {
    buffer_add_byte(buffer, (char)(0xf0 | c >> 18));
    buffer_add_byte(buffer, (char)(0x80 | (c >> 12 & 0x3f)));
    buffer_add_byte(buffer, (char)(0x80 | (c >> 6 & 0x3f)));
    buffer_add_byte(buffer, (char)(0x80 | (c & 0x3f)));
  }
}

#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

union header {
  struct {
    union header *previous;
    union header *next;
  } links;
  max_align_t alignment;
};

static union header *blocks;

static _Noreturn void out_of_memory(void) {
  static const char message[] = "entrypoint: out of memory\n";
  ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
  (void)ignored;
  _exit(1);
}

static void link_block(union header *header) {
  header->links.previous = NULL;
  header->links.next = blocks;
  if (blocks != NULL) blocks->links.previous = header;
  blocks = header;
}

static void unlink_block(union header *header) {
  if (header->links.previous != NULL) header->links.previous->links.next = header->links.next;
  else blocks = header->links.next;
  if (header->links.next != NULL) header->links.next->links.previous = header->links.previous;
}

static size_t block_size(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2 - sizeof(union header)) out_of_memory();
  return bytes + sizeof(union header);
}

void *allocate_array(size_t count, size_t size) {
  union header *header = calloc(1, block_size(count, size));
  if (header == NULL) out_of_memory();
  link_block(header);
  return header + 1;
}

void *allocate(size_t size) { return allocate_array(1, size); }

void *resize(void *memory, size_t count, size_t size) {
  if (memory == NULL) return allocate_array(count, size);
  union header *header = (union header *)memory - 1;
  unlink_block(header);
  header = realloc(header, block_size(count, size));
  if (header == NULL) out_of_memory();
  link_block(header);
  return header + 1;
}

void release(void *memory) {
  if (memory == NULL) return;
  union header *header = (union header *)memory - 1;
  unlink_block(header);
  free(header);
}

static void buffer_reserve(struct buffer *buffer, size_t more) {
  size_t needed;
  if (__builtin_add_overflow(buffer->length, more, &needed) || needed >= SIZE_MAX / 4) out_of_memory();
  needed += 1; /* the NUL */
  if (needed <= buffer->capacity) return;
  size_t capacity = buffer->capacity == 0 ? 64 : buffer->capacity;
  while (capacity < needed) capacity *= 2;
  buffer->data = resize(buffer->data, capacity, 1);
  buffer->capacity = capacity;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length) {
  buffer_reserve(buffer, length);
  if (length > 0) memcpy(buffer->data + buffer->length, bytes, length);
  buffer->length += length;
  buffer->data[buffer->length] = '\0';
}

void buffer_add_string(struct buffer *buffer, const char *string) { buffer_append(buffer, string, strlen(string)); }

void buffer_add_byte(struct buffer *buffer, char byte) { buffer_append(buffer, &byte, 1); }

static void buffer_format_list(struct buffer *buffer, const char *template, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, template, arguments);
  if (length < 0) out_of_memory();
  buffer_reserve(buffer, (size_t)length);
  if (vsnprintf(buffer->data + buffer->length, (size_t)length + 1, template, again) != length) out_of_memory();
  buffer->length += (size_t)length;
  va_end(again);
}

void buffer_format(struct buffer *buffer, const char *template, ...) {
  va_list arguments;
  va_start(arguments, template);
  buffer_format_list(buffer, template, arguments);
  va_end(arguments);
}

void buffer_release(struct buffer *buffer) {
  release(buffer->data);
  *buffer = (struct buffer){0};
}

struct text buffer_take(struct buffer *buffer) {
  if (buffer->data == NULL) buffer_append(buffer, "", 0);
  struct text text = {buffer->data, buffer->length};
  *buffer = (struct buffer){0};
  return text;
}

char *copy_string(const char *string) { return text_copy(string, strlen(string)).data; }

char *format(const char *template, ...) {
  struct buffer buffer = {0};
  va_list arguments;
  va_start(arguments, template);
  buffer_format_list(&buffer, template, arguments);
  va_end(arguments);
  return buffer.data;
}

struct text text_of(const char *string) { return text_copy(string, strlen(string)); }

struct text text_copy(const char *bytes, size_t length) {
  struct buffer buffer = {0};
  buffer_append(&buffer, bytes, length);
  return buffer_take(&buffer);
}

bool text_same(struct text a, struct text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool text_equals(struct text text, const char *string) {
  size_t length = strlen(string);
  return text.length == length && memcmp(text.data, string, length) == 0;
}

struct text text_replace_all(struct text text, struct text old, struct text new_text) {
  struct buffer result = {0};
  size_t position = 0;
  while (old.length > 0 && position <= text.length) {
    char *found = memmem(text.data + position, text.length - position, old.data, old.length);
    if (found == NULL) break;
    size_t at = (size_t)(found - text.data);
    buffer_append(&result, text.data + position, at - position);
    buffer_append(&result, new_text.data, new_text.length);
    position = at + old.length;
  }
  buffer_append(&result, text.data + position, text.length - position);
  return buffer_take(&result);
}

void text_list_add(struct text_list *list, struct text text) {
  if ((list->count & (list->count - 1)) == 0) {
    size_t capacity = list->count == 0 ? 1 : list->count * 2;
    list->items = resize(list->items, capacity, sizeof *list->items);
  }
  list->items[list->count++] = text;
}

struct text_list split(const char *string, char separator) {
  struct text_list list = {0};
  for (;;) {
    const char *end = strchr(string, separator);
    size_t length = end == NULL ? strlen(string) : (size_t)(end - string);
    text_list_add(&list, text_copy(string, length));
    if (end == NULL) return list;
    string = end + 1;
  }
}

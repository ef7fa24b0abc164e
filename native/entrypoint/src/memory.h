/*
 * Memory and growing text.
 *
 * The program lives as long as one step, so nothing is given back before exit unless it was large. All blocks hang on one list:
 * whatever a leak checker still reports was truly lost. An allocation that fails ends the program with a clear line, so that
 * callers never see NULL.
 */
#ifndef ENTRYPOINT_MEMORY_H
#define ENTRYPOINT_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes with a length; may hold NUL, and one NUL always follows them. */
struct text {
  char *data;
  size_t length;
};

struct buffer {
  char *data;
  size_t length;
  size_t capacity;
};

struct text_list {
  struct text *items;
  size_t count;
};

void *allocate(size_t size);
void *allocate_array(size_t count, size_t size);
void *resize(void *memory, size_t count, size_t size);
void release(void *memory);

char *copy_string(const char *string);
char *format(const char *template, ...) __attribute__((format(printf, 1, 2)));

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_add_string(struct buffer *buffer, const char *string);
void buffer_add_byte(struct buffer *buffer, char byte);
void buffer_format(struct buffer *buffer, const char *template, ...) __attribute__((format(printf, 2, 3)));
void buffer_release(struct buffer *buffer);
/* The bytes gathered so far; the buffer is empty afterwards. */
struct text buffer_take(struct buffer *buffer);

struct text text_of(const char *string);
struct text text_copy(const char *bytes, size_t length);
bool text_equals(struct text text, const char *string);
bool text_same(struct text a, struct text b);
struct text text_replace_all(struct text text, struct text old, struct text new_text);

void text_list_add(struct text_list *list, struct text text);
/* As Go's strings.Split: an empty string gives one empty part. */
struct text_list split(const char *string, char separator);

#endif

/*
 * JSON as Go's encoding/json reads and writes it.
 *
 * Written strings escape <, > and & (\u003c ...), U+2028 and U+2029, and show bytes that are not UTF-8 as \ufffd. Read strings
 * get U+FFFD for such bytes and for lone surrogates. Member names of structs are found without regard to case, the last one
 * wins. Nesting is bounded, and callers bound the size of what they parse.
 */
#ifndef ENTRYPOINT_JSON_H
#define ENTRYPOINT_JSON_H

#include "memory.h"

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
  enum json_kind kind;
  bool boolean;
  struct text text;    /* of a string: its value; of a number: as written */
  size_t count;        /* of an array or object */
  struct json *items;  /* values */
  struct text *names;  /* of an object */
};

/* NULL, or what is wrong with the document, in Go's words. */
char *json_parse(const char *bytes, size_t length, struct json *value);
/* A struct field: the last member of that name, case ignored; NULL when absent or null. */
const struct json *json_field(const struct json *object, const char *name);
/* Reads what Go would read into a string, []string, bool; null gives the zero value. An error otherwise. */
char *json_string(const struct json *value, struct text *string);
char *json_strings(const struct json *value, struct text_list *list);
char *json_boolean(const struct json *value, bool *boolean);
char *json_mismatch(const struct json *value, const char *type);

void json_write_string(struct buffer *out, struct text string);

#endif

/* Values of CEL and what can be done with them. */
#ifndef ENTRYPOINT_CEL_VALUE_H
#define ENTRYPOINT_CEL_VALUE_H

#include "memory.h"

#include <stdint.h>

enum cel_kind { CEL_NULL, CEL_BOOL, CEL_INT, CEL_UINT, CEL_DOUBLE, CEL_STRING, CEL_LIST, CEL_ERROR };

struct cel_value {
  enum cel_kind kind;
  bool boolean;
  int64_t integer;
  uint64_t natural;
  double real;
  struct text text; /* of a string; of an error: what went wrong at run time */
  struct cel_value *items;
  size_t count;
};

struct cel_value cel_boolean(bool value);
struct cel_value cel_integer(int64_t value);
struct cel_value cel_natural(uint64_t value);
struct cel_value cel_real(double value);
struct cel_value cel_string(struct text value);
struct cel_value cel_error(const char *message);
void cel_list_add(struct cel_value *list, struct cel_value item);

/* The name of the type in upstream's type checker: "int", "list(string)". */
char *cel_type(const struct cel_value *value);
bool cel_equal(const struct cel_value *a, const struct cel_value *b);

/* An operator or a function by CEL's name for it ("_==_", "size", "startsWith"). False when there is none for these types. */
bool cel_apply(const char *name, const struct cel_value *arguments, size_t count, struct cel_value *result);
/* Functions of that name exist, for some types. */
bool cel_known(const char *name);

#endif

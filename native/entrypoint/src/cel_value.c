#include "cel_value.h"

#include "cel.h"
#include "log.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cel_value cel_boolean(bool value) { return (struct cel_value){.kind = CEL_BOOL, .boolean = value}; }
struct cel_value cel_integer(int64_t value) { return (struct cel_value){.kind = CEL_INT, .integer = value}; }
struct cel_value cel_natural(uint64_t value) { return (struct cel_value){.kind = CEL_UINT, .natural = value}; }
struct cel_value cel_real(double value) { return (struct cel_value){.kind = CEL_DOUBLE, .real = value}; }
struct cel_value cel_string(struct text value) { return (struct cel_value){.kind = CEL_STRING, .text = value}; }
struct cel_value cel_error(const char *message) { return (struct cel_value){.kind = CEL_ERROR, .text = text_of(message)}; }

void cel_list_add(struct cel_value *list, struct cel_value item) {
  if ((list->count & (list->count - 1)) == 0) {
    list->items = resize(list->items, list->count == 0 ? 1 : list->count * 2, sizeof item);
  }
  list->items[list->count++] = item;
}

static bool homogeneous(const struct cel_value *list) {
  for (size_t i = 1; i < list->count; i++) {
    if (list->items[i].kind != list->items[0].kind) return false;
  }
  return list->count > 0;
}

char *cel_type(const struct cel_value *value) {
  static const char *const names[] = {"null", "bool", "int", "uint", "double", "string", "list", "dyn"};
  if (value->kind != CEL_LIST) return copy_string(names[value->kind]);
  return format("list(%s)", homogeneous(value) ? cel_type(&value->items[0]) : "dyn");
}

static int compare_texts(struct text a, struct text b) {
  size_t shorter = a.length < b.length ? a.length : b.length;
  int order = shorter == 0 ? 0 : memcmp(a.data, b.data, shorter);
  return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

bool cel_equal(const struct cel_value *a, const struct cel_value *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case CEL_NULL: return true;
    case CEL_BOOL: return a->boolean == b->boolean;
    case CEL_INT: return a->integer == b->integer;
    case CEL_UINT: return a->natural == b->natural;
    case CEL_DOUBLE: return a->real == b->real;
    case CEL_STRING: return text_same(a->text, b->text);
    case CEL_LIST:
      if (a->count != b->count) return false;
      for (size_t i = 0; i < a->count; i++) {
        if (!cel_equal(&a->items[i], &b->items[i])) return false;
      }
      return true;
    case CEL_ERROR: return false;
  }
  return false;
}

static bool equality(bool wanted, const struct cel_value *v, struct cel_value *result) {
  if (v[0].kind != v[1].kind) return false;
  *result = cel_boolean(cel_equal(&v[0], &v[1]) == wanted);
  return true;
}

static bool ordering(const char *name, const struct cel_value *v, struct cel_value *result) {
  if (v[0].kind != v[1].kind) return false;
  bool less;
  bool greater;
  switch (v[0].kind) {
    case CEL_BOOL: less = v[0].boolean < v[1].boolean; greater = v[0].boolean > v[1].boolean; break;
    case CEL_INT: less = v[0].integer < v[1].integer; greater = v[0].integer > v[1].integer; break;
    case CEL_UINT: less = v[0].natural < v[1].natural; greater = v[0].natural > v[1].natural; break;
    case CEL_DOUBLE: less = v[0].real < v[1].real; greater = v[0].real > v[1].real; break;
    case CEL_STRING:
      less = compare_texts(v[0].text, v[1].text) < 0;
      greater = compare_texts(v[0].text, v[1].text) > 0;
      break;
    default: return false;
  }
  bool or_equal = name[2] == '=' && cel_equal(&v[0], &v[1]);
  *result = cel_boolean((name[1] == '<' ? less : greater) || or_equal);
  return true;
}

static struct cel_value integer_arithmetic(char operator_sign, int64_t a, int64_t b) {
  int64_t value = 0;
  bool overflow = false;
  switch (operator_sign) {
    case '+': overflow = __builtin_add_overflow(a, b, &value); break;
    case '-': overflow = __builtin_sub_overflow(a, b, &value); break;
    case '*': overflow = __builtin_mul_overflow(a, b, &value); break;
    default:
      if (b == 0) return cel_error(operator_sign == '/' ? "division by zero" : "modulus by zero");
      if (a == INT64_MIN && b == -1) overflow = true;
      else value = operator_sign == '/' ? a / b : a % b;
  }
  return overflow ? cel_error("return error for overflow") : cel_integer(value);
}

static struct cel_value natural_arithmetic(char operator_sign, uint64_t a, uint64_t b) {
  uint64_t value = 0;
  bool overflow = false;
  switch (operator_sign) {
    case '+': overflow = __builtin_add_overflow(a, b, &value); break;
    case '-': overflow = __builtin_sub_overflow(a, b, &value); break;
    case '*': overflow = __builtin_mul_overflow(a, b, &value); break;
    default:
      if (b == 0) return cel_error(operator_sign == '/' ? "division by zero" : "modulus by zero");
      value = operator_sign == '/' ? a / b : a % b;
  }
  return overflow ? cel_error("return error for overflow") : cel_natural(value);
}

static bool arithmetic(char operator_sign, const struct cel_value *v, struct cel_value *result) {
  if (v[0].kind != v[1].kind) return false;
  struct buffer joined = {0};
  switch (v[0].kind) {
    case CEL_INT: *result = integer_arithmetic(operator_sign, v[0].integer, v[1].integer); return true;
    case CEL_UINT: *result = natural_arithmetic(operator_sign, v[0].natural, v[1].natural); return true;
    case CEL_DOUBLE:
      if (operator_sign == '%') return false;
      *result = cel_real(operator_sign == '+'   ? v[0].real + v[1].real
                         : operator_sign == '-' ? v[0].real - v[1].real
                         : operator_sign == '*' ? v[0].real * v[1].real
                                                : v[0].real / v[1].real);
      return true;
    case CEL_STRING:
      if (operator_sign != '+') return false;
      buffer_append(&joined, v[0].text.data, v[0].text.length);
      buffer_append(&joined, v[1].text.data, v[1].text.length);
      *result = cel_string(buffer_take(&joined));
      return true;
    case CEL_LIST:
      if (operator_sign != '+') return false;
      *result = (struct cel_value){.kind = CEL_LIST};
      for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < v[side].count; i++) cel_list_add(result, v[side].items[i]);
      }
      return true;
    default: return false;
  }
}

static bool membership(const struct cel_value *v, struct cel_value *result) {
  if (v[1].kind != CEL_LIST || (homogeneous(&v[1]) && v[1].items[0].kind != v[0].kind)) return false;
  bool found = false;
  for (size_t i = 0; i < v[1].count; i++) found = found || cel_equal(&v[0], &v[1].items[i]);
  *result = cel_boolean(found);
  return true;
}

static bool text_function(const char *name, const struct cel_value *v, struct cel_value *result) {
  if (v[0].kind != CEL_STRING || v[1].kind != CEL_STRING) return false;
  struct text text = v[0].text;
  struct text part = v[1].text;
  bool fits = part.length <= text.length;
  if (strcmp(name, "startsWith") == 0) {
    *result = cel_boolean(fits && memcmp(text.data, part.data, part.length) == 0);
  } else if (strcmp(name, "endsWith") == 0) {
    *result = cel_boolean(fits && memcmp(text.data + text.length - part.length, part.data, part.length) == 0);
  } else if (strcmp(name, "contains") == 0) {
    *result = cel_boolean(part.length == 0 || memmem(text.data, text.length, part.data, part.length) != NULL);
  } else {
    bool matched;
    char *error = regular_expression_matches(text, part, &matched);
    *result = error == NULL ? cel_boolean(matched) : cel_error(error);
  }
  return true;
}

static struct cel_value invalid(const char *function, struct text text) {
  return cel_error(format("strconv.%s: parsing %s: invalid syntax", function, quoted(text.data)));
}

static struct cel_value text_to_number(enum cel_kind kind, struct text text) {
  char *end;
  errno = 0;
  bool plain = text.length > 0 && strchr(" \t\n\v\f\r", text.data[0]) == NULL && strlen(text.data) == text.length;
  if (kind == CEL_INT) {
    long long value = strtoll(text.data, &end, 10);
    return plain && errno == 0 && *end == '\0' ? cel_integer(value) : invalid("ParseInt", text);
  }
  if (kind == CEL_UINT) {
    unsigned long long value = strtoull(text.data, &end, 10);
    bool digits = plain && text.data[0] >= '0' && text.data[0] <= '9';
    return digits && errno == 0 && *end == '\0' ? cel_natural(value) : invalid("ParseUint", text);
  }
  double value = strtod(text.data, &end);
  return plain && *end == '\0' ? cel_real(value) : invalid("ParseFloat", text);
}

static char *shortest_real(double value) {
  char *text = NULL;
  for (int digits = 1; digits <= 17; digits++) {
    text = format("%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

static bool conversion(const char *name, const struct cel_value *v, struct cel_value *result) {
  if (v->kind == CEL_NULL || v->kind == CEL_LIST) return false;
  if (strcmp(name, "string") == 0) {
    const char *text = v->kind == CEL_BOOL     ? (v->boolean ? "true" : "false")
                       : v->kind == CEL_INT    ? format("%lld", (long long)v->integer)
                       : v->kind == CEL_UINT   ? format("%llu", (unsigned long long)v->natural)
                       : v->kind == CEL_DOUBLE ? shortest_real(v->real)
                                               : NULL;
    *result = text == NULL ? *v : cel_string(text_of(text));
    return true;
  }
  if (strcmp(name, "bool") == 0) {
    if (v->kind == CEL_STRING) {
      bool yes = text_equals(v->text, "true") || text_equals(v->text, "True") || text_equals(v->text, "TRUE") ||
                 text_equals(v->text, "t") || text_equals(v->text, "1");
      bool no = text_equals(v->text, "false") || text_equals(v->text, "False") || text_equals(v->text, "FALSE") ||
                text_equals(v->text, "f") || text_equals(v->text, "0");
      *result = yes || no ? cel_boolean(yes) : invalid("ParseBool", v->text);
      return true;
    }
    *result = *v;
    return v->kind == CEL_BOOL;
  }
  if (v->kind == CEL_BOOL) return false;
  enum cel_kind kind = strcmp(name, "int") == 0 ? CEL_INT : strcmp(name, "uint") == 0 ? CEL_UINT : CEL_DOUBLE;
  if (v->kind == CEL_STRING) {
    *result = text_to_number(kind, v->text);
    return true;
  }
  double real = v->kind == CEL_INT ? (double)v->integer : v->kind == CEL_UINT ? (double)v->natural : v->real;
  if (kind == v->kind) *result = *v;
  else if (kind == CEL_DOUBLE) *result = cel_real(real);
  else if (kind == CEL_INT && v->kind == CEL_UINT && v->natural <= INT64_MAX) *result = cel_integer((int64_t)v->natural);
  else if (kind == CEL_UINT && v->kind == CEL_INT && v->integer >= 0) *result = cel_natural((uint64_t)v->integer);
  else if (kind == CEL_INT && v->kind == CEL_DOUBLE && real > -9.2e18 && real < 9.2e18) *result = cel_integer((int64_t)real);
  else if (kind == CEL_UINT && v->kind == CEL_DOUBLE && real >= 0 && real < 1.8e19) *result = cel_natural((uint64_t)real);
  else *result = cel_error("range error");
  return true;
}

static bool index_list(const struct cel_value *v, struct cel_value *result) {
  if (v[0].kind != CEL_LIST || v[1].kind != CEL_INT) return false;
  if (v[1].integer < 0 || (uint64_t)v[1].integer >= v[0].count) {
    *result = cel_error(format("index out of bounds: %lld", (long long)v[1].integer));
  } else {
    *result = v[0].items[v[1].integer];
  }
  return true;
}

static bool negate(const struct cel_value *v, struct cel_value *result) {
  if (v->kind == CEL_DOUBLE) *result = cel_real(-v->real);
  else if (v->kind == CEL_INT) *result = integer_arithmetic('-', 0, v->integer);
  else return false;
  return true;
}

static bool size_of(const struct cel_value *v, struct cel_value *result) {
  if (v->kind == CEL_STRING) *result = cel_integer((int64_t)utf8_count(v->text));
  else if (v->kind == CEL_LIST) *result = cel_integer((int64_t)v->count);
  else return false;
  return true;
}

static bool one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

static bool is_conversion(const char *name) {
  static const char *const names[] = {"int", "uint", "double", "string", "bool"};
  return one_of(name, names, sizeof names / sizeof names[0]);
}

static bool is_text_function(const char *name) {
  static const char *const names[] = {"startsWith", "endsWith", "contains", "matches"};
  return one_of(name, names, sizeof names / sizeof names[0]);
}

bool cel_known(const char *name) { return is_conversion(name) || is_text_function(name) || strcmp(name, "size") == 0; }

bool cel_apply(const char *name, const struct cel_value *v, size_t count, struct cel_value *result) {
  for (size_t i = 0; i < count; i++) {
    if (v[i].kind == CEL_ERROR) {
      *result = v[i];
      return true;
    }
  }
  if (count == 1) {
    if (strcmp(name, "!_") == 0) *result = cel_boolean(!v->boolean);
    if (strcmp(name, "!_") == 0) return v->kind == CEL_BOOL;
    if (strcmp(name, "-_") == 0) return negate(v, result);
    if (strcmp(name, "size") == 0) return size_of(v, result);
    return is_conversion(name) && conversion(name, v, result);
  }
  if (count != 2) return false;
  if (strcmp(name, "_==_") == 0) return equality(true, v, result);
  if (strcmp(name, "_!=_") == 0) return equality(false, v, result);
  if (strcmp(name, "@in") == 0) return membership(v, result);
  if (strcmp(name, "_[_]") == 0) return index_list(v, result);
  if (is_text_function(name)) return text_function(name, v, result);
  if (name[0] != '_') return false;
  if (name[1] == '<' || name[1] == '>') return ordering(name, v, result);
  return strchr("+-*/%", name[1]) != NULL && arithmetic(name[1], v, result);
}

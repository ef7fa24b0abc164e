#include "cel.h"

#include "cel_value.h"
#include "log.h"
#include "utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_DEPTH = 100 };

struct reader {
  struct text source;
  size_t at;
  int depth;
  char *error; /* what makes the expression impossible, whatever its other parts are worth */
};

static struct cel_value nothing(void) { return (struct cel_value){.kind = CEL_NULL}; }

/* Errors look as upstream's: place, line, and a mark below it. */
static struct cel_value reject(struct reader *reader, size_t at, const char *message) {
  if (reader->error != NULL) return nothing();
  const char *source = reader->source.data;
  size_t line = 1;
  size_t start = 0;
  for (size_t i = 0; i < at; i++) {
    if (source[i] == '\n') {
      line++;
      start = i + 1;
    }
  }
  size_t end = start;
  while (end < reader->source.length && source[end] != '\n') end++;
  struct buffer out = {0};
  buffer_format(&out, "ERROR: <input>:%zu:%zu: %s\n | ", line, at - start + 1, message);
  buffer_append(&out, source + start, end - start);
  buffer_add_string(&out, "\n | ");
  for (size_t i = start; i < at; i++) buffer_add_byte(&out, '.');
  buffer_add_byte(&out, '^');
  reader->error = out.data;
  return nothing();
}

static void skip_space(struct reader *reader) {
  for (;;) {
    char c = reader->source.data[reader->at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') reader->at++;
    else if (c == '/' && reader->source.data[reader->at + 1] == '/') reader->at += strcspn(reader->source.data + reader->at, "\n");
    else return;
  }
}

static bool accept(struct reader *reader, const char *token) {
  skip_space(reader);
  size_t length = strlen(token);
  if (strncmp(reader->source.data + reader->at, token, length) != 0) return false;
  reader->at += length;
  return true;
}

static bool word_character(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool accept_word(struct reader *reader, const char *word) {
  size_t before = reader->at;
  if (!accept(reader, word)) return false;
  if (!word_character(reader->source.data[reader->at])) return true;
  reader->at = before;
  return false;
}

static struct cel_value syntax_error(struct reader *reader) {
  skip_space(reader);
  const char *rest = reader->source.data + reader->at;
  if (reader->at >= reader->source.length) return reject(reader, reader->at, "Syntax error: mismatched input '<EOF>'");
  size_t size = utf8_length(rest, reader->source.length - reader->at);
  return reject(reader, reader->at, format("Syntax error: mismatched input '%.*s'", (int)(size == 0 ? 1 : size), rest));
}

static bool expect(struct reader *reader, const char *token) {
  if (accept(reader, token)) return true;
  (void)syntax_error(reader);
  return false;
}

static struct cel_value call(struct reader *reader, size_t at, const char *name, const struct cel_value *arguments, size_t count) {
  struct cel_value result = nothing();
  if (reader->error != NULL || cel_apply(name, arguments, count, &result)) return result;
  struct buffer types = {0};
  for (size_t i = 0; i < count; i++) buffer_format(&types, "%s%s", i == 0 ? "" : ", ", cel_type(&arguments[i]));
  const char *list = types.data == NULL ? "" : types.data;
  return reject(reader, at, format("found no matching overload for '%s' applied to '(%s)'", name, list));
}

static struct cel_value parse_expression(struct reader *reader);

static bool parse_code(struct reader *reader, int digits, int base, uint32_t *code) {
  *code = 0;
  for (int i = 0; i < digits; i++) {
    unsigned char c = (unsigned char)reader->source.data[reader->at];
    int value = isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : base;
    if (value >= base) return false;
    *code = *code * (uint32_t)base + (uint32_t)value;
    reader->at++;
  }
  return *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
}

static bool parse_escape(struct reader *reader, struct buffer *out) {
  static const char letters[] = "abfnrtv\\?\"'`";
  static const char values[] = "\a\b\f\n\r\t\v\\?\"'`";
  char c = reader->source.data[reader->at];
  const char *found = c == '\0' ? NULL : strchr(letters, c);
  uint32_t code = 0;
  bool valid = true;
  if (found != NULL) {
    reader->at++;
    buffer_add_byte(out, values[found - letters]);
    return true;
  }
  if (c >= '0' && c <= '3') {
    valid = parse_code(reader, 3, 8, &code);
  } else {
    reader->at++;
    int digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    valid = digits > 0 && parse_code(reader, digits, 16, &code);
  }
  if (valid) utf8_append(out, code);
  return valid;
}

static struct cel_value parse_string(struct reader *reader, bool raw) {
  const char *source = reader->source.data;
  size_t start = reader->at;
  char quote = source[reader->at];
  bool triple = source[reader->at + 1] == quote && source[reader->at + 2] == quote;
  size_t width = triple ? 3 : 1;
  char ending[4] = {quote, quote, quote, '\0'};
  struct buffer out = {0};
  for (reader->at += width;;) {
    if (reader->at >= reader->source.length || (!triple && source[reader->at] == '\n')) {
      return reject(reader, start, format("Syntax error: token recognition error at: '%s'", source + start));
    }
    if (strncmp(source + reader->at, ending, width) == 0) break;
    if (source[reader->at] == '\\' && !raw) {
      reader->at++;
      if (!parse_escape(reader, &out)) return reject(reader, start, "Syntax error: invalid escape in a string");
    } else {
      buffer_add_byte(&out, source[reader->at++]);
    }
  }
  reader->at += width;
  return cel_string(buffer_take(&out));
}

static struct cel_value parse_number(struct reader *reader, bool negative) {
  size_t start = reader->at;
  const char *source = reader->source.data;
  bool hexadecimal = source[start] == '0' && (source[start + 1] == 'x' || source[start + 1] == 'X');
  size_t end = start + (hexadecimal ? 2 : 0);
  bool real = false;
  while (hexadecimal ? isxdigit((unsigned char)source[end]) : isdigit((unsigned char)source[end])) end++;
  if (!hexadecimal && source[end] == '.' && isdigit((unsigned char)source[end + 1])) {
    real = true;
    for (end++; isdigit((unsigned char)source[end]);) end++;
  }
  size_t exponent = end + 1 + (source[end] != '\0' && (source[end + 1] == '+' || source[end + 1] == '-') ? 1 : 0);
  if (!hexadecimal && (source[end] == 'e' || source[end] == 'E') && isdigit((unsigned char)source[exponent])) {
    real = true;
    for (end = exponent; isdigit((unsigned char)source[end]);) end++;
  }
  char *digits = format("%s%.*s", negative ? "-" : "", (int)(end - start), source + start);
  char *stop;
  reader->at = end;
  errno = 0;
  if (real) return cel_real(strtod(digits, NULL));
  if (source[end] == 'u' || source[end] == 'U') {
    reader->at++;
    unsigned long long value = strtoull(digits, &stop, hexadecimal ? 16 : 10);
    return errno == 0 && *stop == '\0' && !negative ? cel_natural(value) : reject(reader, start, "invalid uint literal");
  }
  long long value = strtoll(digits, &stop, hexadecimal ? 16 : 10);
  return errno == 0 && *stop == '\0' ? cel_integer(value) : reject(reader, start, "invalid int literal");
}

static struct cel_value parse_list(struct reader *reader) {
  struct cel_value list = {.kind = CEL_LIST};
  if (accept(reader, "]")) return list;
  do {
    if (list.count > 0 && accept(reader, "]")) return list;
    cel_list_add(&list, parse_expression(reader));
    if (reader->error != NULL) return nothing();
  } while (accept(reader, ","));
  (void)expect(reader, "]");
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].kind == CEL_ERROR) return list.items[i];
  }
  return list;
}

static char *parse_word(struct reader *reader) {
  size_t start = reader->at;
  while (word_character(reader->source.data[reader->at])) reader->at++;
  return text_copy(reader->source.data + start, reader->at - start).data;
}

/* Arguments behind "(", after what the function is called on. */
static struct cel_value parse_call(struct reader *reader, size_t at, const char *name, struct cel_value arguments) {
  static const char *const macros[] = {"has", "all", "exists", "exists_one", "map", "filter"};
  for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
    if (strcmp(name, macros[i]) == 0) return reject(reader, at, format("the macro '%s' is not supported by this entrypoint", name));
  }
  if (!cel_known(name)) return reject(reader, at, format("undeclared reference to '%s' (in container '')", name));
  if (!accept(reader, ")")) {
    do {
      cel_list_add(&arguments, parse_expression(reader));
      if (reader->error != NULL) return nothing();
    } while (accept(reader, ","));
    if (!expect(reader, ")")) return nothing();
  }
  return call(reader, at, name, arguments.items, arguments.count);
}

static struct cel_value parse_primary(struct reader *reader) {
  skip_space(reader);
  size_t start = reader->at;
  const char *rest = reader->source.data + start;
  if (accept(reader, "(")) {
    struct cel_value value = parse_expression(reader);
    (void)expect(reader, ")");
    return value;
  }
  if (accept(reader, "[")) return parse_list(reader);
  if (*rest == '{') return reject(reader, start, "maps are not supported by this entrypoint");
  if (*rest == '"' || *rest == '\'') return parse_string(reader, false);
  if ((*rest == 'r' || *rest == 'R') && (rest[1] == '"' || rest[1] == '\'')) {
    reader->at++;
    return parse_string(reader, true);
  }
  if ((*rest == 'b' || *rest == 'B') && (rest[1] == '"' || rest[1] == '\'')) {
    return reject(reader, start, "bytes are not supported by this entrypoint");
  }
  if (isdigit((unsigned char)*rest) || (*rest == '.' && isdigit((unsigned char)rest[1]))) return parse_number(reader, false);
  if (!word_character(*rest)) return syntax_error(reader);
  char *word = parse_word(reader);
  if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return cel_boolean(*word == 't');
  if (strcmp(word, "null") == 0) return nothing();
  if (accept(reader, "(")) return parse_call(reader, start, word, (struct cel_value){.kind = CEL_LIST});
  return reject(reader, start, format("undeclared reference to '%s' (in container '')", word));
}

static struct cel_value parse_member(struct reader *reader) {
  struct cel_value value = parse_primary(reader);
  while (reader->error == NULL) {
    size_t at = reader->at;
    if (accept(reader, "[")) {
      struct cel_value arguments[2] = {value, parse_expression(reader)};
      if (!expect(reader, "]")) break;
      value = call(reader, at, "_[_]", arguments, 2);
    } else if (accept(reader, ".")) {
      skip_space(reader);
      char *name = parse_word(reader);
      if (*name == '\0') return syntax_error(reader);
      if (!accept(reader, "(")) return reject(reader, at, format("type '%s' does not support field selection", cel_type(&value)));
      struct cel_value arguments = {.kind = CEL_LIST};
      cel_list_add(&arguments, value);
      value = parse_call(reader, at, name, arguments);
    } else {
      break;
    }
  }
  return value;
}

static struct cel_value parse_unary(struct reader *reader) {
  skip_space(reader);
  size_t at = reader->at;
  const char *rest = reader->source.data + at;
  bool is_not = rest[0] == '!' && rest[1] != '=';
  if (!is_not && rest[0] != '-') return parse_member(reader);
  reader->at++;
  if (!is_not && isdigit((unsigned char)rest[1])) return parse_number(reader, true);
  if (++reader->depth > MAXIMUM_DEPTH) return reject(reader, at, "expression recursion limit exceeded");
  struct cel_value value = parse_unary(reader);
  reader->depth--;
  return call(reader, at, is_not ? "!_" : "-_", &value, 1);
}

struct operation {
  const char *token;
  const char *name;
};

static const struct operation relations[] = {{"==", "_==_"}, {"!=", "_!=_"}, {"<=", "_<=_"}, {">=", "_>=_"}, {"<", "_<_"}, {">", "_>_"}};
static const struct operation sums[] = {{"+", "_+_"}, {"-", "_-_"}};
static const struct operation products[] = {{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}};

static const char *accept_operation(struct reader *reader, const struct operation *operations, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (accept(reader, operations[i].token)) return operations[i].name;
  }
  return NULL;
}

static struct cel_value parse_binary(struct reader *reader, int level) {
  static const struct {
    const struct operation *operations;
    size_t count;
  } levels[] = {{relations, 6}, {sums, 2}, {products, 3}};
  if (level == 3) return parse_unary(reader);
  struct cel_value value = parse_binary(reader, level + 1);
  while (reader->error == NULL) {
    skip_space(reader);
    size_t at = reader->at;
    const char *name = accept_operation(reader, levels[level].operations, levels[level].count);
    if (name == NULL && level == 0 && accept_word(reader, "in")) name = "@in";
    if (name == NULL) break;
    struct cel_value arguments[2] = {value, parse_binary(reader, level + 1)};
    value = call(reader, at, name, arguments, 2);
  }
  return value;
}

/* An error on one side does not matter when the other side decides. */
static struct cel_value decide(struct reader *reader, size_t at, bool deciding, struct cel_value a, struct cel_value b) {
  const char *name = deciding ? "_||_" : "_&&_";
  struct cel_value both[2] = {a, b};
  if (reader->error != NULL) return nothing();
  for (size_t i = 0; i < 2; i++) {
    if (both[i].kind == CEL_BOOL || both[i].kind == CEL_ERROR) continue;
    return reject(reader, at, format("found no matching overload for '%s' applied to '(%s, %s)'", name, cel_type(&a), cel_type(&b)));
  }
  if ((a.kind == CEL_BOOL && a.boolean == deciding) || (b.kind == CEL_BOOL && b.boolean == deciding)) return cel_boolean(deciding);
  return a.kind == CEL_ERROR ? a : b;
}

static struct cel_value parse_and(struct reader *reader) {
  struct cel_value value = parse_binary(reader, 0);
  while (reader->error == NULL && accept(reader, "&&")) {
    size_t at = reader->at - 2;
    value = decide(reader, at, false, value, parse_binary(reader, 0));
  }
  return value;
}

static struct cel_value parse_or(struct reader *reader) {
  struct cel_value value = parse_and(reader);
  while (reader->error == NULL && accept(reader, "||")) {
    size_t at = reader->at - 2;
    value = decide(reader, at, true, value, parse_and(reader));
  }
  return value;
}

static struct cel_value parse_conditional(struct reader *reader) {
  struct cel_value condition = parse_or(reader);
  if (reader->error != NULL || !accept(reader, "?")) return condition;
  size_t at = reader->at - 1;
  struct cel_value yes = parse_or(reader);
  if (!expect(reader, ":")) return nothing();
  struct cel_value no = parse_expression(reader);
  if (reader->error != NULL) return nothing();
  bool agree = yes.kind == no.kind || yes.kind == CEL_ERROR || no.kind == CEL_ERROR;
  if ((condition.kind != CEL_BOOL && condition.kind != CEL_ERROR) || !agree) {
    return reject(reader, at, format("found no matching overload for '_?_:_' applied to '(%s, %s, %s)'", cel_type(&condition),
                                     cel_type(&yes), cel_type(&no)));
  }
  if (condition.kind == CEL_ERROR) return condition;
  return condition.boolean ? yes : no;
}

static struct cel_value parse_expression(struct reader *reader) {
  if (reader->depth >= MAXIMUM_DEPTH) return reject(reader, reader->at, "expression recursion limit exceeded");
  reader->depth++;
  struct cel_value value = parse_conditional(reader);
  reader->depth--;
  return value;
}

char *cel_evaluate(struct text expression, bool *value) {
  struct reader reader = {.source = expression};
  *value = false;
  if (strlen(expression.data) != expression.length) return copy_string("the CEL expression holds a NUL character");
  struct cel_value result = parse_expression(&reader);
  skip_space(&reader);
  if (reader.error == NULL && reader.at < expression.length) (void)syntax_error(&reader);
  if (reader.error != NULL) return reader.error;
  if (result.kind == CEL_ERROR) return result.text.data;
  if (result.kind != CEL_BOOL) return format("the CEL expression %s is not evaluated to a boolean", expression.data);
  *value = result.boolean;
  return NULL;
}

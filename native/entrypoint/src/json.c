#include "json.h"

#include "utf8.h"

#include <string.h>
#include <strings.h>

enum { MAXIMUM_DEPTH = 500 };

struct parser {
  const char *at;
  const char *end;
  char *error;
};

static bool fail(struct parser *parser, const char *context) {
  if (parser->error != NULL) return false;
  if (parser->at >= parser->end) {
    parser->error = copy_string("unexpected end of JSON input");
    return false;
  }
  unsigned char c = (unsigned char)*parser->at;
  if (c == '\'') parser->error = format("invalid character '\\'' %s", context);
  else if (c == '\n') parser->error = format("invalid character '\\n' %s", context);
  else if (c < 0x20 || c >= 0x7f) parser->error = format("invalid character '\\x%02x' %s", c, context);
  else parser->error = format("invalid character '%c' %s", c, context);
  return false;
}

static void skip_space(struct parser *parser) {
  while (parser->at < parser->end && strchr(" \t\r\n", *parser->at) != NULL && *parser->at != '\0') parser->at++;
}

static bool next_is(struct parser *parser, char c) { return parser->at < parser->end && *parser->at == c; }

static bool digit(struct parser *parser) { return parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9'; }

static bool parse_literal(struct parser *parser, const char *literal) {
  for (const char *expected = literal; *expected != '\0'; expected++) {
    if (!next_is(parser, *expected)) {
      char *context = format("in literal %s (expecting '%c')", literal, *expected);
      return fail(parser, context);
    }
    parser->at++;
  }
  return true;
}

static bool parse_digits(struct parser *parser, const char *context) {
  if (!digit(parser)) return fail(parser, context);
  while (digit(parser)) parser->at++;
  return true;
}

static bool parse_number(struct parser *parser, struct json *value) {
  const char *start = parser->at;
  if (next_is(parser, '-')) parser->at++;
  if (next_is(parser, '0')) parser->at++;
  else if (!parse_digits(parser, "in numeric literal")) return false;
  if (next_is(parser, '.')) {
    parser->at++;
    if (!parse_digits(parser, "after decimal point in numeric literal")) return false;
  }
  if (next_is(parser, 'e') || next_is(parser, 'E')) {
    parser->at++;
    if (next_is(parser, '+') || next_is(parser, '-')) parser->at++;
    if (!parse_digits(parser, "in exponent of numeric literal")) return false;
  }
  value->kind = JSON_NUMBER;
  value->text = text_copy(start, (size_t)(parser->at - start));
  return true;
}

static bool parse_hex4(struct parser *parser, uint32_t *code) {
  *code = 0;
  for (int i = 0; i < 4; i++) {
    if (parser->at >= parser->end) return fail(parser, "");
    char c = *parser->at;
    uint32_t nibble;
    if (c >= '0' && c <= '9') nibble = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f') nibble = (uint32_t)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') nibble = (uint32_t)(c - 'A' + 10);
    else return fail(parser, "in \\u hexadecimal character escape");
    *code = *code << 4 | nibble;
    parser->at++;
  }
  return true;
}

static bool parse_unicode_escape(struct parser *parser, struct buffer *out) {
  uint32_t code;
  if (!parse_hex4(parser, &code)) return false;
  if (code >= 0xd800 && code < 0xdc00 && parser->end - parser->at >= 6 && parser->at[0] == '\\' && parser->at[1] == 'u') {
    const char *before = parser->at;
    uint32_t low;
    parser->at += 2;
    if (!parse_hex4(parser, &low)) return false;
    if (low >= 0xdc00 && low < 0xe000) {
      utf8_append(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
      return true;
    }
    parser->at = before;
  }
  utf8_append(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
  return true;
}

static bool parse_escape(struct parser *parser, struct buffer *out) {
  static const char letters[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  if (parser->at >= parser->end) return fail(parser, "");
  if (*parser->at == 'u') {
    parser->at++;
    return parse_unicode_escape(parser, out);
  }
  const char *found = *parser->at == '\0' ? NULL : strchr(letters, *parser->at);
  if (found == NULL) return fail(parser, "in string escape code");
  buffer_add_byte(out, values[found - letters]);
  parser->at++;
  return true;
}

static bool parse_text(struct parser *parser, struct text *text) {
  struct buffer out = {0};
  parser->at++; /* the quote */
  for (;;) {
    if (parser->at >= parser->end) return fail(parser, "");
    unsigned char c = (unsigned char)*parser->at;
    if (c == '"') break;
    if (c < 0x20) return fail(parser, "in string literal");
    if (c == '\\') {
      parser->at++;
      if (!parse_escape(parser, &out)) return false;
      continue;
    }
    size_t size = utf8_length(parser->at, (size_t)(parser->end - parser->at));
    if (size == 0) {
      utf8_append(&out, 0xfffd);
      parser->at++;
    } else {
      buffer_append(&out, parser->at, size);
      parser->at += size;
    }
  }
  parser->at++;
  *text = buffer_take(&out);
  return true;
}

static bool parse_value(struct parser *parser, struct json *value, int depth);

/* Room for one more item; capacities are powers of two, so no field is needed for them. */
static void grow(struct json *value) {
  if ((value->count & (value->count - 1)) != 0) return;
  size_t capacity = value->count == 0 ? 1 : value->count * 2;
  value->items = resize(value->items, capacity, sizeof *value->items);
  if (value->kind == JSON_OBJECT) value->names = resize(value->names, capacity, sizeof *value->names);
}

static bool parse_array(struct parser *parser, struct json *value, int depth) {
  value->kind = JSON_ARRAY;
  parser->at++;
  skip_space(parser);
  if (next_is(parser, ']')) {
    parser->at++;
    return true;
  }
  for (;;) {
    struct json item = {0};
    if (!parse_value(parser, &item, depth + 1)) return false;
    grow(value);
    value->items[value->count++] = item;
    skip_space(parser);
    if (next_is(parser, ']')) break;
    if (!next_is(parser, ',')) return fail(parser, "after array element");
    parser->at++;
  }
  parser->at++;
  return true;
}

static bool parse_object(struct parser *parser, struct json *value, int depth) {
  value->kind = JSON_OBJECT;
  parser->at++;
  skip_space(parser);
  if (next_is(parser, '}')) {
    parser->at++;
    return true;
  }
  for (;;) {
    struct json item = {0};
    struct text name;
    skip_space(parser);
    if (!next_is(parser, '"')) return fail(parser, "looking for beginning of object key string");
    if (!parse_text(parser, &name)) return false;
    skip_space(parser);
    if (!next_is(parser, ':')) return fail(parser, "after object key");
    parser->at++;
    if (!parse_value(parser, &item, depth + 1)) return false;
    grow(value);
    value->names[value->count] = name;
    value->items[value->count++] = item;
    skip_space(parser);
    if (next_is(parser, '}')) break;
    if (!next_is(parser, ',')) return fail(parser, "after object key:value pair");
    parser->at++;
  }
  parser->at++;
  return true;
}

static bool parse_value(struct parser *parser, struct json *value, int depth) {
  if (depth > MAXIMUM_DEPTH) {
    parser->error = copy_string("exceeded max depth");
    return false;
  }
  skip_space(parser);
  if (parser->at >= parser->end) return fail(parser, "");
  switch (*parser->at) {
    case '{': return parse_object(parser, value, depth);
    case '[': return parse_array(parser, value, depth);
    case '"': value->kind = JSON_STRING; return parse_text(parser, &value->text);
    case 'n': value->kind = JSON_NULL; return parse_literal(parser, "null");
    case 't': value->kind = JSON_BOOL; value->boolean = true; return parse_literal(parser, "true");
    case 'f': value->kind = JSON_BOOL; return parse_literal(parser, "false");
    default:
      if (*parser->at == '-' || digit(parser)) return parse_number(parser, value);
      return fail(parser, "looking for beginning of value");
  }
}

char *json_parse(const char *bytes, size_t length, struct json *value) {
  struct parser parser = {.at = bytes, .end = bytes + length};
  *value = (struct json){0};
  if (!parse_value(&parser, value, 0)) return parser.error;
  skip_space(&parser);
  if (parser.at < parser.end) {
    fail(&parser, "after top-level value");
    return parser.error;
  }
  return NULL;
}

const struct json *json_field(const struct json *object, const char *name) {
  if (object->kind != JSON_OBJECT) return NULL;
  size_t length = strlen(name);
  for (size_t i = object->count; i-- > 0;) {
    struct text candidate = object->names[i];
    if (candidate.length == length && strncasecmp(candidate.data, name, length) == 0 && object->items[i].kind != JSON_NULL) {
      return &object->items[i];
    }
  }
  return NULL;
}

char *json_mismatch(const struct json *value, const char *type) {
  static const char *const names[] = {"null", "bool", "number", "string", "array", "object"};
  return format("json: cannot unmarshal %s into Go value of type %s", names[value->kind], type);
}

char *json_string(const struct json *value, struct text *string) {
  *string = (struct text){"", 0};
  if (value == NULL || value->kind == JSON_NULL) return NULL;
  if (value->kind != JSON_STRING) return json_mismatch(value, "string");
  *string = value->text;
  return NULL;
}

char *json_strings(const struct json *value, struct text_list *list) {
  *list = (struct text_list){0};
  if (value == NULL || value->kind == JSON_NULL) return NULL;
  if (value->kind != JSON_ARRAY) return json_mismatch(value, "[]string");
  for (size_t i = 0; i < value->count; i++) {
    struct text item;
    char *error = json_string(&value->items[i], &item);
    if (error != NULL) return error;
    text_list_add(list, item);
  }
  return NULL;
}

char *json_boolean(const struct json *value, bool *boolean) {
  *boolean = false;
  if (value == NULL || value->kind == JSON_NULL) return NULL;
  if (value->kind != JSON_BOOL) return json_mismatch(value, "bool");
  *boolean = value->boolean;
  return NULL;
}

static const char *short_escape(unsigned char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return NULL;
  }
}

void json_write_string(struct buffer *out, struct text string) {
  buffer_add_byte(out, '"');
  for (size_t i = 0; i < string.length;) {
    unsigned char c = (unsigned char)string.data[i];
    size_t size = utf8_length(string.data + i, string.length - i);
    if (size == 0) {
      buffer_add_string(out, "\\ufffd");
      i++;
      continue;
    }
    const char *escape = size == 1 ? short_escape(c) : NULL;
    uint32_t code = utf8_decode(string.data + i);
    if (escape != NULL) buffer_add_string(out, escape);
    else if (code < 0x20 || code == '<' || code == '>' || code == '&') buffer_format(out, "\\u%04x", (unsigned)code);
    else if (code == 0x2028 || code == 0x2029) buffer_format(out, "\\u%04x", (unsigned)code);
    else buffer_append(out, string.data + i, size);
    i += size;
  }
  buffer_add_byte(out, '"');
}

#include "flags.h"

#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parsing {
  const char *program;
  const struct flag *flags;
  size_t count;
};

static _Noreturn void usage(const struct parsing *parsing, const char *problem, int code) {
  if (problem != NULL) (void)fprintf(stderr, "%s\n", problem);
  (void)fprintf(stderr, "Usage of %s:\n", parsing->program);
  for (size_t i = 0; i < parsing->count; i++) {
    static const char *const values[] = {" string", "", " duration", " value"};
    (void)fprintf(stderr, "  -%s%s\n    \t%s\n", parsing->flags[i].name, values[parsing->flags[i].kind], parsing->flags[i].usage);
  }
  exit(code);
}

static bool parse_boolean(const char *text, bool *value) {
  static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
  static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};
  for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
    if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
      *value = strcmp(text, yes[i]) == 0;
      return true;
    }
  }
  return false;
}

/* Reads digits into value; false when there are none or too many. */
static bool parse_digits(const char **text, int64_t *value, int64_t *scale, bool fraction) {
  const char *start = *text;
  for (; **text >= '0' && **text <= '9'; (*text)++) {
    if (*value > (INT64_MAX - 9) / 10) {
      if (!fraction) return false;
      continue; /* more digits than nanoseconds */
    }
    *value = *value * 10 + (**text - '0');
    if (fraction) *scale *= 10;
  }
  return *text != start;
}

static int64_t parse_unit(const char **text) {
  static const struct {
    const char *name;
    int64_t nanoseconds;
  } units[] = {
      {"ns", 1},        {"us", 1000},       {"\xc2\xb5s", 1000},  {"\xce\xbcs", 1000},
      {"ms", 1000000},  {"s", 1000000000},  {"m", 60000000000},   {"h", 3600000000000},
  };
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    size_t length = strlen(units[i].name);
    if (strncmp(*text, units[i].name, length) == 0) {
      *text += length;
      return units[i].nanoseconds;
    }
  }
  return 0;
}

bool parse_duration(const char *text, int64_t *nanoseconds) {
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  int64_t total = 0;
  if (strcmp(text, "0") == 0) {
    *nanoseconds = 0;
    return true;
  }
  if (*text == '\0') return false;
  while (*text != '\0') {
    int64_t whole = 0;
    int64_t part = 0;
    int64_t scale = 1;
    bool digits = parse_digits(&text, &whole, &scale, false);
    if (!digits && whole != 0) return false;
    if (*text == '.') {
      text++;
      if (!parse_digits(&text, &part, &scale, true) && !digits) return false;
    } else if (!digits) {
      return false;
    }
    int64_t unit = parse_unit(&text);
    int64_t value;
    if (unit == 0 || __builtin_mul_overflow(whole, unit, &value)) return false;
    value += (int64_t)((double)part * ((double)unit / (double)scale));
    if (__builtin_add_overflow(total, value, &total)) return false;
  }
  *nanoseconds = negative ? -total : total;
  return true;
}

static char *assign(const struct flag *flag, const char *value) {
  switch (flag->kind) {
    case FLAG_STRING: *(const char **)flag->target = value; return NULL;
    case FLAG_BOOLEAN:
      if (parse_boolean(value, flag->target)) return NULL;
      return format("invalid boolean value %s for -%s: parse error", quoted(value), flag->name);
    case FLAG_DURATION:
      if (parse_duration(value, flag->target)) return NULL;
      return format("invalid value %s for flag -%s: parse error", quoted(value), flag->name);
    case FLAG_FUNCTION: {
      char *error = flag->set(flag->target, value);
      return error == NULL ? NULL : format("invalid value %s for flag -%s: %s", quoted(value), flag->name, error);
    }
  }
  return NULL;
}

static const struct flag *find_flag(const struct parsing *parsing, const char *name) {
  for (size_t i = 0; i < parsing->count; i++) {
    if (strcmp(parsing->flags[i].name, name) == 0) return &parsing->flags[i];
  }
  if (strcmp(name, "h") == 0 || strcmp(name, "help") == 0) usage(parsing, NULL, 0);
  usage(parsing, format("flag provided but not defined: -%s", name), 2);
}

int flags_parse(const char *program, const struct flag *flags, size_t count, int argument_count, char **arguments) {
  struct parsing parsing = {program, flags, count};
  int at = 0;
  while (at < argument_count) {
    const char *argument = arguments[at];
    if (argument[0] != '-' || argument[1] == '\0') break;
    at++;
    if (strcmp(argument, "--") == 0) break;
    const char *name = argument + (argument[1] == '-' ? 2 : 1);
    if (*name == '\0' || *name == '-' || *name == '=') usage(&parsing, format("bad flag syntax: %s", argument), 2);
    const char *equals = strchr(name, '=');
    const char *value = equals == NULL ? NULL : equals + 1;
    if (equals != NULL) name = text_copy(name, (size_t)(equals - name)).data;
    const struct flag *flag = find_flag(&parsing, name);
    if (value == NULL && flag->kind == FLAG_BOOLEAN) value = "true";
    if (value == NULL) {
      if (at >= argument_count) usage(&parsing, format("flag needs an argument: -%s", name), 2);
      value = arguments[at++];
    }
    char *error = assign(flag, value);
    if (error != NULL) usage(&parsing, error, 2);
  }
  return at;
}

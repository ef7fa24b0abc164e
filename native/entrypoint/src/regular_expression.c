/*
 * CEL's matches() takes RE2 syntax. Here it becomes a POSIX extended expression: the same for what people write in conditions;
 * where the two would differ and we cannot translate, an error says so.
 */
#include "cel.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

/* RE2's bound for one repetition; and for all of them together, because POSIX would copy what is repeated. */
enum { MAXIMUM_REPEAT = 1000, MAXIMUM_COPIES = 10000 };

struct translation {
  const char *at;
  struct buffer out;
  char *error;
  int copies;
};

static void refuse(struct translation *translation, const char *what) {
  if (translation->error == NULL) {
    translation->error = format("%s in the regular expression is not supported by this entrypoint", what);
  }
}

static const char *class_of(char letter) {
  switch (tolower((unsigned char)letter)) {
    case 'd': return "0-9";
    case 'w': return "0-9A-Za-z_";
    case 's': return "\t\n\f\r ";
    default: return NULL;
  }
}

static char control_of(char letter) {
  switch (letter) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'f': return '\f';
    case 'v': return '\v';
    default: return '\0';
  }
}

/* After a backslash, outside of brackets. */
static void translate_escape(struct translation *translation) {
  char c = *translation->at;
  const char *class = class_of(c);
  if (c == '\0') {
    refuse(translation, "a trailing backslash");
    return;
  }
  translation->at++;
  if (class != NULL) buffer_format(&translation->out, "[%s%s]", isupper((unsigned char)c) ? "^" : "", class);
  else if (control_of(c) != '\0') buffer_add_byte(&translation->out, control_of(c));
  else if (c == 'A') buffer_add_byte(&translation->out, '^');
  else if (c == 'z') buffer_add_byte(&translation->out, '$');
  else if (c == 'b' || c == 'B') buffer_format(&translation->out, "\\%c", c);
  else if (ispunct((unsigned char)c)) buffer_format(&translation->out, strchr("^$.[]|()*+?{}\\", c) != NULL ? "\\%c" : "%c", c);
  else refuse(translation, format("\\%c", c));
}

/* POSIX knows no escapes in brackets; "]" must come first there, "-" last, "^" not first. */
static void translate_brackets(struct translation *translation) {
  struct buffer inside = {0};
  bool closing = false;
  bool dash = false;
  bool caret = false;
  bool negated = *translation->at == '^';
  if (negated) translation->at++;
  for (bool first = true; *translation->at != ']' || first; first = false) {
    char c = *translation->at++;
    if (c == '\0') {
      refuse(translation, "an unclosed [");
      return;
    }
    if (c == '[' && *translation->at == ':') {
      const char *end = strstr(translation->at, ":]");
      if (end == NULL) {
        refuse(translation, "an unclosed [:");
        return;
      }
      buffer_append(&inside, translation->at - 1, (size_t)(end + 2 - (translation->at - 1)));
      translation->at = end + 2;
      continue;
    }
    if (c == '\\') {
      c = *translation->at++;
      const char *class = class_of(c);
      if (c == '\0' || (isalnum((unsigned char)c) && strchr("ntrfvdsw", c) == NULL)) {
        refuse(translation, "such an escape in brackets");
        return;
      }
      if (class != NULL) {
        buffer_add_string(&inside, class);
        continue;
      }
      if (control_of(c) != '\0') c = control_of(c);
      if (c == '-') {
        dash = true;
        continue;
      }
    }
    if (c == ']') closing = true;
    else if (c == '^') caret = true;
    else buffer_add_byte(&inside, c);
  }
  translation->at++;
  if (caret && !negated && !closing && inside.length == 0) {
    buffer_add_string(&translation->out, dash ? "[-^]" : "\\^");
    return;
  }
  buffer_format(&translation->out, "[%s%s", negated ? "^" : "", closing ? "]" : "");
  buffer_append(&translation->out, inside.data, inside.length);
  if (caret) buffer_add_byte(&translation->out, '^');
  if (dash) buffer_add_byte(&translation->out, '-');
  buffer_add_byte(&translation->out, ']');
}

static void translate_repeat(struct translation *translation) {
  const char *end = translation->at;
  int number = 0;
  int largest = 1;
  while (isdigit((unsigned char)*end) || *end == ',') {
    number = *end == ',' ? 0 : number * 10 + (*end - '0');
    if (number > largest) largest = number;
    if (largest > MAXIMUM_REPEAT) {
      refuse(translation, "so large a repetition");
      return;
    }
    end++;
  }
  if (*end != '}' || end == translation->at || *translation->at == ',') {
    buffer_add_string(&translation->out, "\\{"); /* RE2 takes it literally */
    return;
  }
  translation->copies *= largest;
  if (translation->copies > MAXIMUM_COPIES) {
    refuse(translation, "so many repetitions");
    return;
  }
  buffer_format(&translation->out, "{%.*s}", (int)(end - translation->at), translation->at);
  translation->at = end + 1;
}

static void translate(struct translation *translation) {
  while (*translation->at != '\0' && translation->error == NULL) {
    char c = *translation->at++;
    if (c == '\\') {
      translate_escape(translation);
    } else if (c == '[') {
      translate_brackets(translation);
    } else if (c == '(' && *translation->at == '?') {
      if (translation->at[1] != ':') refuse(translation, "(?");
      buffer_add_byte(&translation->out, '(');
      translation->at += 2;
    } else if (c == '{') {
      translate_repeat(translation);
    } else {
      buffer_add_byte(&translation->out, c);
    }
    /* Lazy or greedy makes no difference to whether it matches. */
    bool repeated = c == '*' || c == '+' || c == '?' || (c == '{' && translation->out.data[translation->out.length - 1] == '}');
    if (repeated && *translation->at == '?') translation->at++;
  }
}

char *regular_expression_matches(struct text text, struct text pattern, bool *matched) {
  struct translation translation = {.at = pattern.data, .copies = 1};
  regex_t expression;
  *matched = false;
  if (strlen(pattern.data) != pattern.length || strlen(text.data) != text.length) {
    return copy_string("matches() on a NUL character is not supported by this entrypoint");
  }
  if (pattern.length > 4096) return copy_string("so long a regular expression is not supported by this entrypoint");
  translate(&translation);
  if (translation.error != NULL) return translation.error;
  int code = regcomp(&expression, translation.out.data == NULL ? "" : translation.out.data, REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    char reason[128];
    (void)regerror(code, &expression, reason, sizeof reason);
    return format("error parsing regexp: %s: `%s`", reason, pattern.data);
  }
  code = regexec(&expression, text.data, 0, NULL, 0);
  regfree(&expression);
  if (code != 0 && code != REG_NOMATCH) return copy_string("the regular expression needs too much memory");
  *matched = code == 0;
  return NULL;
}

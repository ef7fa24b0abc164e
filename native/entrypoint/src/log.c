#include "log.h"

#include "utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One write per line, so that lines of several programs on one stream do not mix. */
static void write_line(const char *message) {
  struct buffer line = {0};
  time_t now = time(NULL);
  struct tm parts;
  char stamp[64] = "";
  if (localtime_r(&now, &parts) != NULL) (void)strftime(stamp, sizeof stamp, "%Y/%m/%d %H:%M:%S ", &parts);
  buffer_add_string(&line, stamp);
  buffer_add_string(&line, message);
  if (line.length == 0 || line.data[line.length - 1] != '\n') buffer_add_byte(&line, '\n');
  size_t written = 0;
  while (written < line.length) {
    ssize_t count = write(STDERR_FILENO, line.data + written, line.length - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break; /* the log itself failed */
    written += (size_t)count;
  }
  buffer_release(&line);
}

static char *format_list(const char *template, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, template, arguments);
  size_t size = length < 0 ? 1 : (size_t)length + 1;
  char *message = allocate(size);
  (void)vsnprintf(message, size, template, again);
  va_end(again);
  return message;
}

void log_line(const char *template, ...) {
  va_list arguments;
  va_start(arguments, template);
  char *message = format_list(template, arguments);
  va_end(arguments);
  write_line(message);
  release(message);
}

void log_fatal(const char *template, ...) {
  va_list arguments;
  va_start(arguments, template);
  write_line(format_list(template, arguments));
  va_end(arguments);
  exit(1);
}

static bool needs_quotes(const char *string) {
  if (*string == '\0') return true;
  for (const char *p = string; *p != '\0'; p++) {
    unsigned char c = (unsigned char)*p;
    if (c <= ' ' || c == '"' || c == '=' || c == 0x7f) return true;
  }
  return !utf8_valid(string, strlen(string));
}

void log_level(const char *level, const char *message, const char *error) {
  if (error == NULL) log_line("%s %s", level, message);
  else log_line("%s %s error=%s", level, message, needs_quotes(error) ? quoted(error) : error);
}

char *quoted(const char *string) {
  struct buffer out = {0};
  buffer_add_byte(&out, '"');
  size_t length = strlen(string);
  for (size_t i = 0; i < length;) {
    unsigned char c = (unsigned char)string[i];
    size_t size = utf8_length(string + i, length - i);
    if (size == 0) {
      buffer_format(&out, "\\x%02x", c);
      i++;
      continue;
    }
    static const char escaped[] = "\a\b\f\n\r\t\v\\\"";
    static const char letters[] = "abfnrtv\\\"";
    const char *found = size == 1 ? strchr(escaped, c) : NULL;
    if (found != NULL) buffer_format(&out, "\\%c", letters[found - escaped]);
    else if (c < 0x20 || c == 0x7f) buffer_format(&out, "\\x%02x", c);
    else buffer_append(&out, string + i, size);
    i += size;
  }
  buffer_add_byte(&out, '"');
  return out.data;
}

char *errno_text(int error) {
  char *message = copy_string(strerror(error));
  message[0] = (char)tolower((unsigned char)message[0]);
  return message;
}

char *path_error(const char *operation, const char *path, int error) {
  return format("%s %s: %s", operation, path, errno_text(error));
}

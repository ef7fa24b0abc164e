#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONGEST_ERROR 1024
#define HEADER 12

uint32_t current_command;

static void write_u32(unsigned char *bytes, uint32_t value) {
  for (unsigned i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

uint32_t read_u32(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* A caller that is not there any more is not an error: this process ends with it. */
static void send_frame(uint32_t failed, const void *content, size_t length) {
  unsigned char frame[HEADER + LONGEST_ERROR];
  size_t sent = 0;
  write_u32(frame, (uint32_t)(8 + length));
  write_u32(frame + 4, current_command);
  write_u32(frame + 8, failed);
  memcpy(frame + HEADER, content, length);
  while (sent < HEADER + length) {
    ssize_t written = send(CONTROL, frame + sent, HEADER + length - sent, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    sent += (size_t)written;
  }
}

void report_done(uint32_t number) {
  unsigned char content[4];
  write_u32(content, number);
  send_frame(0, content, sizeof content);
}

static void send_error(const char *template, va_list values) {
  char text[LONGEST_ERROR];
  int length = vsnprintf(text, sizeof text, template, values);
  if (length < 0) length = 0;
  if ((size_t)length >= sizeof text) length = (int)sizeof text - 1;
  send_frame(1, text, (size_t)length);
}

void report_error(const char *template, ...) {
  va_list values;
  va_start(values, template);
  send_error(template, values);
  va_end(values);
}

void fail(const char *template, ...) {
  va_list values;
  va_start(values, template);
  send_error(template, values);
  va_end(values);
  _exit(EXIT_FAILED);
}

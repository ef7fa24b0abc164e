#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONGEST_ERROR 4096

void (*before_failure)(void);

static void write_u32(unsigned char *bytes, uint32_t value) {
  for (unsigned i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

uint32_t read_u32(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint64_t read_u64(const unsigned char *bytes) { return (uint64_t)read_u32(bytes) | (uint64_t)read_u32(bytes + 4) << 32; }

/* A caller that does not listen any more is not an error: the container ends with it. */
static void send_frame(char kind, const void *content, size_t length) {
  unsigned char frame[8 + LONGEST_ERROR] = {(unsigned char)kind};
  size_t sent = 0;
  write_u32(frame + 4, (uint32_t)length);
  memcpy(frame + 8, content, length);
  while (sent < 8 + length) {
    ssize_t written = send(CONTROL, frame + sent, 8 + length - sent, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    sent += (size_t)written;
  }
}

void report_started(uint32_t pid) {
  unsigned char content[4];
  write_u32(content, pid);
  send_frame('S', content, sizeof content);
}

void report_exit(uint32_t code, uint32_t signal) {
  unsigned char content[8];
  write_u32(content, code);
  write_u32(content + 4, signal);
  send_frame('X', content, sizeof content);
}

void fail(const char *template, ...) {
  char text[LONGEST_ERROR];
  va_list values;
  va_start(values, template);
  int length = vsnprintf(text, sizeof text, template, values);
  va_end(values);
  if (length < 0) length = 0;
  if ((size_t)length >= sizeof text) length = (int)sizeof text - 1;
  if (before_failure != NULL) before_failure();
  send_frame('E', text, (size_t)length);
  _exit(EXIT_NOT_STARTED);
}

const char *go_error(int number) {
  switch (number) {
    case ENOENT: return "no such file or directory";
    case EACCES: return "permission denied";
    case EPERM: return "operation not permitted";
    case ENOTDIR: return "not a directory";
    case EISDIR: return "is a directory";
    case ENOEXEC: return "exec format error";
    case E2BIG: return "argument list too long";
    case ELOOP: return "too many levels of symbolic links";
    case ENAMETOOLONG: return "file name too long";
    case ETXTBSY: return "text file busy";
    default: return strerror(number);
  }
}

#include "tee.h"

#include "files.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

char *tee_open(struct tee *tee, const char *path, int stream) {
  *tee = (struct tee){.pipe = -1, .child_end = -1, .stream = stream, .file = -1};
  if (*path == '\0') return NULL;
  char *error = make_directories(path_directory(path), 0777);
  if (error != NULL) return format("error creating parent directory: %s", error);
  tee->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (tee->file < 0) return format("error opening %s: %s", path, path_error("open", path, errno));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return format("pipe: %s", errno_text(errno));
  tee->pipe = ends[0];
  tee->child_end = ends[1];
  return NULL;
}

void tee_close_child_end(struct tee *tee) {
  if (tee->child_end >= 0) (void)close(tee->child_end);
  tee->child_end = -1;
}

bool tee_busy(const struct tee *tee) { return tee->pipe >= 0; }

static void end(struct tee *tee, char *error) {
  if (tee->pipe >= 0) (void)close(tee->pipe);
  tee->pipe = -1;
  tee->pending = 0;
  if (error != NULL) tee->error = error;
}

struct pollfd tee_interest(const struct tee *tee) {
  if (!tee_busy(tee)) return (struct pollfd){.fd = -1};
  if (tee->pending > 0) return (struct pollfd){.fd = tee->stream, .events = POLLOUT};
  return (struct pollfd){.fd = tee->pipe, .events = POLLIN};
}

static void write_on(struct tee *tee) {
  const char *names[] = {"stdin", "/dev/stdout", "/dev/stderr"};
  ssize_t count = write(tee->stream, tee->piece + tee->written, tee->pending);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) {
    end(tee, path_error("write", names[tee->stream], errno));
    return;
  }
  int error = write_all(tee->file, tee->piece + tee->written, (size_t)count);
  if (error != 0) {
    end(tee, format("write: %s", errno_text(error)));
    return;
  }
  tee->written += (size_t)count;
  tee->pending -= (size_t)count;
}

void tee_advance(struct tee *tee, short events) {
  if (!tee_busy(tee) || events == 0) return;
  if (tee->pending > 0) {
    write_on(tee);
    return;
  }
  ssize_t count = read(tee->pipe, tee->piece, sizeof tee->piece);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    end(tee, count < 0 ? format("read: %s", errno_text(errno)) : NULL);
    return;
  }
  tee->pending = (size_t)count;
  tee->written = 0;
}

void tee_close(struct tee *tee) {
  tee_close_child_end(tee);
  end(tee, NULL);
  if (tee->file >= 0 && close(tee->file) != 0 && tee->error == NULL) tee->error = format("close: %s", errno_text(errno));
  tee->file = -1;
}

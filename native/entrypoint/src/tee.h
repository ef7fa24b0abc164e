/*
 * Output of the command that goes both to our own stream and to a file.
 *
 * Nothing here blocks, so that a reader who has stopped reading cannot hold up a timeout: we read from the command only when the
 * last piece is written, and write to our stream only when the kernel says there is room.
 */
#ifndef ENTRYPOINT_TEE_H
#define ENTRYPOINT_TEE_H

#include "memory.h"

#include <poll.h>

struct tee {
  int pipe;       /* our end; -1 when the stream is not copied or has ended */
  int child_end;  /* -1 when the child uses our stream */
  int stream;     /* our stdout or stderr */
  int file;
  size_t pending; /* bytes of `piece` that our stream has yet to get */
  size_t written;
  char *error;
  char piece[4096]; /* PIPE_BUF: such a piece fits whenever a pipe is writable */
};

/* An empty path leaves the stream alone. */
char *tee_open(struct tee *tee, const char *path, int stream);
void tee_close_child_end(struct tee *tee);
/* The poll entry of a tee. */
struct pollfd tee_interest(const struct tee *tee);
void tee_advance(struct tee *tee, short events);
bool tee_busy(const struct tee *tee);
void tee_close(struct tee *tee);

#endif

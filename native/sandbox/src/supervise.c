#include "supervise.h"

#include "process.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define CHUNK 65536
#define MAX_FRAME 16
#define END_OF_INPUT 4

/* Bytes on their way from one descriptor to another. */
struct flow {
  unsigned char bytes[CHUNK];
  size_t start;
  size_t end;
  bool ended;
};

struct supervisor {
  pid_t first;
  int link;
  int signals;
  /* The terminal's master, or -1. */
  int terminal;
  bool running;
  bool failed;
  bool reported;
  unsigned char frame[MAX_FRAME];
  size_t framed;
};

static struct flow input;
static struct flow output;

static sigset_t forwarded(void) {
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < 6; i++) sigdelset(&set, (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}[i]);
  return set;
}

void block_signals(void) {
  sigset_t set = forwarded();
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) fail("sigprocmask: %s", strerror(errno));
}

static void never_block(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0) fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

/* Standard descriptors that only the container shall hold: its output ends when it closes them. */
static void drop_standard(int first) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = first; i < 3 && null >= 0; i++) dup2(null, i);
  if (null > 2) close(null);
}

/* A terminal without input, which is the null device then, waits for ever as one that is not typed on. */
static void use_terminal(struct supervisor *self, int terminal) {
  struct stat status;
  self->terminal = terminal;
  input.ended = fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode);
  never_block(terminal);
  never_block(STDIN_FILENO);
  never_block(STDOUT_FILENO);
}

static void read_link(struct supervisor *self) {
  char kind = 0;
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec content = {&kind, 1};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count = recvmsg(self->link, &message, MSG_CMSG_CLOEXEC);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    close(self->link);
    self->link = -1;
    if (self->running && !self->failed) {
      self->reported = true;
      report_started((uint32_t)self->first);
    }
    return;
  }
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (kind == LINK_TERMINAL && header != NULL && header->cmsg_type == SCM_RIGHTS) {
    int terminal;
    memcpy(&terminal, CMSG_DATA(header), sizeof terminal);
    use_terminal(self, terminal);
  }
  if (kind == LINK_RUNNING) self->running = true;
  if (kind == LINK_FAILED) self->failed = true;
}

static void handle_frame(struct supervisor *self, char kind, const unsigned char *content, size_t length) {
  if (kind == 'K' && length == 4) {
    uint32_t number = read_u32(content);
    if (number > 0 && number < NSIG) kill(self->first, (int)number);
  } else if (kind == 'R' && length == 4 && self->terminal >= 0) {
    struct winsize size = {.ws_row = (unsigned short)(content[0] | content[1] << 8), .ws_col = (unsigned short)(content[2] | content[3] << 8)};
    ioctl(self->terminal, TIOCSWINSZ, &size);
  }
}

/* False when the caller has closed it, or does not keep to the form. */
static bool read_control(struct supervisor *self) {
  ssize_t count = recv(CONTROL, self->frame + self->framed, sizeof self->frame - self->framed, MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  self->framed += (size_t)count;
  while (self->framed >= 8) {
    size_t length = read_u32(self->frame + 4);
    if (length > sizeof self->frame - 8) return false;
    if (self->framed < 8 + length) break;
    handle_frame(self, (char)self->frame[0], self->frame + 8, length);
    self->framed -= 8 + length;
    memmove(self->frame, self->frame + 8 + length, self->framed);
  }
  return true;
}

static void fill(struct flow *flow, int from) {
  ssize_t count = read(from, flow->bytes, sizeof flow->bytes);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  flow->start = 0;
  flow->end = count > 0 ? (size_t)count : 0;
  /* The master of a terminal that no process has open any more fails to be read. */
  if (count <= 0) flow->ended = true;
}

static void drain(struct flow *flow, int to) {
  ssize_t count = write(to, flow->bytes + flow->start, flow->end - flow->start);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) flow->start = flow->end;
  else flow->start += (size_t)count;
}

static bool is_empty(const struct flow *flow) { return flow->start == flow->end; }

static void end_input(const struct supervisor *self) {
  unsigned char byte = END_OF_INPUT;
  ssize_t written = write(self->terminal, &byte, 1);
  (void)written;
}

static void carry(struct supervisor *self, const struct pollfd *polls) {
  if (polls[3].revents != 0) {
    if (!is_empty(&input) && (polls[3].revents & POLLOUT) != 0) drain(&input, self->terminal);
    if (is_empty(&output) && (polls[3].revents & (POLLIN | POLLHUP | POLLERR)) != 0) fill(&output, self->terminal);
  }
  if (polls[4].revents != 0 && is_empty(&input) && !input.ended) {
    fill(&input, STDIN_FILENO);
    if (input.ended) end_input(self);
  }
  if (polls[5].revents != 0 && !is_empty(&output)) drain(&output, STDOUT_FILENO);
}

/* Waits for something to do, and does it. False when the caller has closed the control socket. */
static bool step(struct supervisor *self) {
  bool terminal = self->terminal >= 0;
  struct pollfd polls[] = {
      {self->signals, POLLIN, 0},
      {CONTROL, POLLIN, 0},
      {self->link, POLLIN, 0},
      {terminal && !output.ended ? self->terminal : -1, (short)((is_empty(&output) ? POLLIN : 0) | (is_empty(&input) ? 0 : POLLOUT)), 0},
      {terminal && is_empty(&input) && !input.ended ? STDIN_FILENO : -1, POLLIN, 0},
      {terminal && !is_empty(&output) ? STDOUT_FILENO : -1, POLLOUT, 0},
  };
  if (polls[3].events == 0) polls[3].fd = -1;
  if (poll(polls, sizeof polls / sizeof *polls, -1) < 0) return errno == EINTR;
  if (polls[0].revents != 0) {
    struct signalfd_siginfo signal;
    if (read(self->signals, &signal, sizeof signal) == sizeof signal && signal.ssi_signo != SIGCHLD) kill(self->first, (int)signal.ssi_signo);
  }
  if (polls[2].revents != 0) read_link(self);
  if (terminal) carry(self, polls);
  return polls[1].revents == 0 || read_control(self);
}

/* All that the container printed to its terminal has to reach the caller, as long as it listens. */
static void flush_terminal(struct supervisor *self) {
  while (self->terminal >= 0 && !(output.ended && is_empty(&output)))
    if (!step(self)) return;
}

void supervise(pid_t first, int link) {
  struct supervisor self = {.first = first, .link = link, .terminal = -1};
  sigset_t set = forwarded();
  bool listened = true;
  int status = 0;
  self.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (self.signals < 0) fail("signalfd: %s", strerror(errno));
  /* The start has completed when the first process has let go of the link. */
  while (self.link >= 0 && (listened = step(&self))) continue;
  if (self.terminal < 0) drop_standard(0);
  else drop_standard(2);
  for (;;) {
    pid_t ended = waitpid(first, &status, listened ? WNOHANG : 0);
    if (ended == first || (ended < 0 && errno != EINTR)) break;
    if (listened && ended == 0) listened = step(&self);
    if (!listened) kill(first, SIGKILL);
  }
  if (listened) flush_terminal(&self);
  uint32_t code = WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 0;
  uint32_t number = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
  if (!self.reported && !self.failed) fail("the container was killed before its program ran");
  if (self.reported) report_exit(code, number);
  _exit((int)(number != 0 ? 128 + number : code));
}

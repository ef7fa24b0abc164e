/*
 * Holds the network of a node's Pods, and makes namespaces and sockets of it for the process that started this one.
 *
 *   network serve PARENT NAMESPACE PODS SERVICES FOLDER
 *
 * PARENT is the process that this one dies with. NAMESPACE is `none` for root, or `self:UID:GID`: a user namespace in which that user is
 * root. PODS and SERVICES are the first two numbers of addresses, as in 10.244. FOLDER has no use but to show, in the list of processes,
 * what a process belongs to.
 *
 * Commands come on the control socket: the length of what follows, a number that the answer has, what to do, and its values; all
 * numbers have four bytes, little endian. A command of a wrong size or with values out of range is answered with an error; bytes that
 * are no command end this process, and with it the network.
 */
#include "handover.h"
#include "pods.h"
#include "report.h"
#include "way_out.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_VALUES 3
#define HEADER 12
#define MAX_COMMAND (HEADER + 4 * MAX_VALUES)
#define BACKLOG 512

enum operation { ADD = 1, REMOVE, SOCKET, LISTEN, WAY_OUT, CONNECT_MACHINE, OPERATIONS };
static const uint32_t value_counts[OPERATIONS] = {[ADD] = 1, [REMOVE] = 1, [SOCKET] = 2, [LISTEN] = 3, [WAY_OUT] = 0, [CONNECT_MACHINE] = 0};

static void die_with(const char *parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("prctl: %s", strerror(errno));
  /* It may have died before. */
  if (atol(parent) != (long)getppid()) _exit(EXIT_FAILED);
}

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail("cannot write %s: %s", path, strerror(errno));
  close(file);
}

static void enter_user_namespace(const char *description) {
  unsigned uid;
  unsigned gid;
  char end;
  char text[64];
  if (sscanf(description, "self:%u:%u%c", &uid, &gid, &end) != 2) fail("%s describes no user namespace", description);
  if (unshare(CLONE_NEWUSER) != 0) fail("the kernel denies a user namespace: %s", strerror(errno));
  write_file("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "0 %u 1\n", uid);
  write_file("/proc/self/uid_map", text);
  snprintf(text, sizeof text, "0 %u 1\n", gid);
  write_file("/proc/self/gid_map", text);
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("cannot become root of the user namespace: %s", strerror(errno));
}

static uint16_t parse_prefix(const char *text) {
  unsigned first;
  unsigned second;
  char end;
  if (sscanf(text, "%3u.%3u%c", &first, &second, &end) != 2 || first > 255 || second > 255) fail("%s is no prefix of addresses", text);
  return (uint16_t)(first << 8 | second);
}

static int type_of(uint32_t value) { return value == 1 ? SOCK_STREAM : value == 2 ? SOCK_DGRAM : 0; }

static void make_socket(uint32_t pod, uint32_t kind) {
  int type = type_of(kind);
  int made = type == 0 ? -1 : socket_of(pod, type);
  if (type == 0) report_error("no kind of socket has the number %u", kind);
  else if (made < 0) report_error("cannot make a socket: %s", strerror(errno));
  else hand_over(made, type);
}

/* The address is in the order of the host. */
static void listen_on(uint32_t host, uint32_t port, uint32_t kind) {
  int yes = 1;
  int type = type_of(kind);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
  if (type == 0 || port == 0 || port > UINT16_MAX) {
    report_error("no socket can listen there");
    return;
  }
  int listening = socket_of(BRIDGE_NAMESPACE, type);
  if (listening >= 0 && (type == SOCK_DGRAM || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0) &&
      bind(listening, (struct sockaddr *)&address, sizeof address) == 0 && (type == SOCK_DGRAM || listen(listening, BACKLOG) == 0)) {
    hand_over(listening, type);
    return;
  }
  report_error("cannot listen: %s", strerror(errno));
  if (listening >= 0) close(listening);
}

static void perform(enum operation operation, const uint32_t *values) {
  int descriptor;
  switch (operation) {
    case ADD:
      if ((descriptor = add_pod(values[0])) >= 0) report_done((uint32_t)descriptor);
      return;
    case REMOVE:
      if (remove_pod(values[0]) == 0) report_done(0);
      return;
    case SOCKET: make_socket(values[0], values[1]); return;
    case LISTEN: listen_on(values[0], values[1], values[2]); return;
    case WAY_OUT:
      if ((descriptor = open_way_out()) >= 0) hand_over(descriptor, SOCK_STREAM);
      return;
    case CONNECT_MACHINE:
      if (connect_machine() == 0) report_done(0);
      return;
    default: report_error("no operation has the number %u", operation);
  }
}

static void read_fully(unsigned char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = read(CONTROL, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    /* The caller has ended. */
    if (count <= 0) _exit(0);
    bytes += count;
    length -= (size_t)count;
  }
}

static void read_command(void) {
  unsigned char bytes[MAX_COMMAND];
  uint32_t values[MAX_VALUES] = {0};
  read_fully(bytes, 4);
  uint32_t length = read_u32(bytes);
  if (length < HEADER - 4 || length > MAX_COMMAND - 4 || length % 4 != 0) {
    current_command = 0;
    fail("invalid command: its length is %u", length);
  }
  read_fully(bytes + 4, length);
  current_command = read_u32(bytes + 4);
  uint32_t operation = read_u32(bytes + 8);
  uint32_t count = (length - (HEADER - 4)) / 4;
  for (uint32_t i = 0; i < count; i++) values[i] = read_u32(bytes + HEADER + 4 * i);
  if (operation == 0 || operation >= OPERATIONS) report_error("no operation has the number %u", operation);
  else if (count != value_counts[operation]) report_error("the operation %u does not have %u values", operation, count);
  else perform((enum operation)operation, values);
}

static _Noreturn void serve(void) {
  struct pollfd watched[] = {{.fd = CONTROL, .events = POLLIN}, {.fd = HANDLES, .events = POLLIN}};
  report_done(0);
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) fail("poll: %s", strerror(errno));
    if (watched[1].revents != 0 && !read_acknowledgements()) _exit(0);
    if (watched[0].revents != 0) read_command();
  }
}

int main(int count, char **arguments) {
  if (count != 7 || strcmp(arguments[1], "serve") != 0) {
    fputs("This program is started by tektite, with sockets on descriptors 3 and 4. It holds the network of Pods.\n", stderr);
    return 2;
  }
  uint16_t pods = parse_prefix(arguments[4]);
  uint16_t services = parse_prefix(arguments[5]);
  die_with(arguments[2]);
  if (strcmp(arguments[3], "none") != 0) {
    enter_user_namespace(arguments[3]);
    die_with(arguments[2]);
  }
  if (fcntl(CONTROL, F_SETFD, FD_CLOEXEC) != 0 || fcntl(HANDLES, F_SETFD, FD_CLOEXEC) != 0) fail("there is no control socket");
  /* Node's channel may not wait; this process does. */
  int flags = fcntl(HANDLES, F_GETFL);
  if (flags < 0 || fcntl(HANDLES, F_SETFL, flags & ~O_NONBLOCK) != 0) fail("cannot use the channel of sockets: %s", strerror(errno));
  flags = fcntl(CONTROL, F_GETFL);
  if (flags < 0 || fcntl(CONTROL, F_SETFL, flags & ~O_NONBLOCK) != 0) fail("cannot use the control socket: %s", strerror(errno));
  open_network(pods, services);
  serve();
}

#include "handover.h"

#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void hand_over(int descriptor, int type) {
  char text[128];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.bytes = {0}};
  const char *kind = type == SOCK_STREAM ? "net.Native" : "dgram.Native";
  int length = snprintf(text, sizeof text, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"%s\",\"msg\":{\"id\":%u}}\n", kind, current_command);
  struct iovec part = {.iov_base = text, .iov_len = (size_t)length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(HANDLES, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent != length) fail("cannot hand over a socket: %s", strerror(errno));
  close(descriptor);
}

int read_acknowledgements(void) {
  char bytes[4096];
  ssize_t length = recv(HANDLES, bytes, sizeof bytes, MSG_DONTWAIT);
  return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

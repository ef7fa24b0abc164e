#include "netlink.h"

#include "report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ATTRIBUTE_HEADER sizeof(struct nlattr)

static uint32_t sequence;

int netlink_open(int protocol) {
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  if (netlink < 0) return -1;
  if (bind(netlink, (struct sockaddr *)&address, sizeof address) == 0) return netlink;
  close(netlink);
  return -1;
}

static unsigned char *grow(struct message *message, size_t size) {
  size_t place = message->length;
  if (size > MAX_MESSAGE || place > MAX_MESSAGE - NLMSG_ALIGN(size)) fail("a message to the kernel is too long");
  memset(message->bytes + place, 0, NLMSG_ALIGN(size));
  message->length += NLMSG_ALIGN(size);
  return message->bytes + place;
}

static void set_length(struct message *message) {
  uint32_t length = (uint32_t)(message->length - message->start);
  memcpy(message->bytes + message->start, &length, sizeof length);
}

void message_begin(struct message *message, uint16_t type, uint16_t flags, const void *body, size_t size) {
  struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags), .nlmsg_seq = ++sequence};
  message->start = message->length;
  memcpy(grow(message, sizeof header), &header, sizeof header);
  message_raw(message, body, size);
}

void message_raw(struct message *message, const void *value, size_t size) {
  unsigned char *place = grow(message, size);
  if (size > 0) memcpy(place, value, size);
  set_length(message);
}

void message_put(struct message *message, uint16_t type, const void *value, size_t size) {
  struct nlattr header = {.nla_len = (uint16_t)(ATTRIBUTE_HEADER + size), .nla_type = type};
  unsigned char *place = grow(message, ATTRIBUTE_HEADER + size);
  memcpy(place, &header, sizeof header);
  if (size > 0) memcpy(place + ATTRIBUTE_HEADER, value, size);
  set_length(message);
}

void message_put_text(struct message *message, uint16_t type, const char *text) { message_put(message, type, text, strlen(text) + 1); }

void message_put_u32(struct message *message, uint16_t type, uint32_t value) { message_put(message, type, &value, sizeof value); }

void message_put_be32(struct message *message, uint16_t type, uint32_t value) { message_put_u32(message, type, htonl(value)); }

size_t message_nest(struct message *message, uint16_t type) {
  size_t nest = message->length;
  message_put(message, type | NLA_F_NESTED, NULL, 0);
  return nest;
}

void message_end(struct message *message, size_t nest) {
  uint16_t length = (uint16_t)(message->length - nest);
  memcpy(message->bytes + nest, &length, sizeof length);
}

/* Reads one datagram; counts the acknowledgements in it. */
static int read_answers(int netlink, unsigned *left) {
  unsigned char bytes[MAX_MESSAGE] __attribute__((aligned(8)));
  ssize_t length = recv(netlink, bytes, sizeof bytes, 0);
  if (length < 0) return errno == EINTR ? 0 : -errno;
  for (size_t at = 0; at + sizeof(struct nlmsghdr) + sizeof(int) <= (size_t)length;) {
    struct nlmsghdr header;
    int error;
    memcpy(&header, bytes + at, sizeof header);
    memcpy(&error, bytes + at + sizeof header, sizeof error);
    if (header.nlmsg_len < sizeof header) return -EBADMSG;
    if (header.nlmsg_type == NLMSG_ERROR) {
      if (error != 0) return error;
      if (*left > 0) --*left;
    }
    at += NLMSG_ALIGN(header.nlmsg_len);
  }
  return 0;
}

/* Answers that were left by a message that failed. */
static void drain(int netlink) {
  unsigned char bytes[MAX_MESSAGE];
  while (recv(netlink, bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
}

int netlink_send(int netlink, struct message *message, unsigned acknowledgements) {
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  ssize_t sent = sendto(netlink, message->bytes, message->length, 0, (struct sockaddr *)&kernel, sizeof kernel);
  message->length = 0;
  if (sent < 0) return -errno;
  while (acknowledgements > 0) {
    int error = read_answers(netlink, &acknowledgements);
    if (error == 0) continue;
    drain(netlink);
    return error;
  }
  return 0;
}

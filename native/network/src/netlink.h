/*
 * Messages to the kernel by which networks are made: rtnetlink and nfnetlink, without a library.
 *
 * A message is written into a buffer of fixed size; attributes may be nested. What does not fit is an error of this program.
 */
#ifndef NETWORK_NETLINK_H
#define NETWORK_NETLINK_H

#include <stddef.h>
#include <stdint.h>

#define MAX_MESSAGE 4096

struct message {
  unsigned char bytes[MAX_MESSAGE] __attribute__((aligned(8)));
  size_t length;
  /* Where the message that is being written starts: a buffer may have several. */
  size_t start;
};

/* A socket of a netlink protocol in the network namespace of this process; -1 with errno. */
int netlink_open(int protocol);

/* Begins a message with its fixed part. */
void message_begin(struct message *message, uint16_t type, uint16_t flags, const void *body, size_t size);

void message_put(struct message *message, uint16_t type, const void *value, size_t size);
void message_put_text(struct message *message, uint16_t type, const char *text);
void message_put_u32(struct message *message, uint16_t type, uint32_t value);
/* In the byte order of the network, as nfnetlink has its numbers. */
void message_put_be32(struct message *message, uint16_t type, uint32_t value);

/* Begins an attribute with attributes in it; returns what ends it. */
size_t message_nest(struct message *message, uint16_t type);
void message_end(struct message *message, size_t nest);

/* Bytes without a header, as in the attribute that describes the other end of a pair. */
void message_raw(struct message *message, const void *value, size_t size);

/* Sends all messages, and waits for as many acknowledgements. 0, or a negative error number. */
int netlink_send(int netlink, struct message *message, unsigned acknowledgements);

#endif

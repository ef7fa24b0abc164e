#include "way_out.h"

#include "netlink.h"
#include "pods.h"
#include "report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TABLE "tektite"
#define CHAIN "out"
#define MANGLE_PRIORITY (-150)
#define DESTINATION_OFFSET 16
#define PREFIX_BYTES 2
#define BACKLOG 512

static void begin(struct message *message, uint16_t type, uint16_t flags) {
  struct nfgenmsg body = {.nfgen_family = NFPROTO_IPV4};
  message_begin(message, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, &body, sizeof body);
}

/* Changes of the kernel's tables are made together or not at all. */
static void put_batch(struct message *message, uint16_t type) {
  struct nfgenmsg body = {.res_id = htons(NFNL_SUBSYS_NFTABLES)};
  message_begin(message, type, 0, &body, sizeof body);
}

static void put_chain(struct message *message) {
  begin(message, NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_ACK);
  message_put_text(message, NFTA_CHAIN_TABLE, TABLE);
  message_put_text(message, NFTA_CHAIN_NAME, CHAIN);
  message_put_text(message, NFTA_CHAIN_TYPE, "filter");
  size_t hook = message_nest(message, NFTA_CHAIN_HOOK);
  message_put_be32(message, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
  message_put_be32(message, NFTA_HOOK_PRIORITY, (uint32_t)MANGLE_PRIORITY);
  message_end(message, hook);
}

struct expression {
  size_t element;
  size_t data;
};

static struct expression expression_begin(struct message *message, const char *name) {
  struct expression expression = {.element = message_nest(message, NFTA_LIST_ELEM)};
  message_put_text(message, NFTA_EXPR_NAME, name);
  expression.data = message_nest(message, NFTA_EXPR_DATA);
  return expression;
}

static void expression_end(struct message *message, struct expression expression) {
  message_end(message, expression.data);
  message_end(message, expression.element);
}

static void put_value(struct message *message, uint16_t type, const void *value, size_t size) {
  size_t data = message_nest(message, type);
  message_put(message, NFTA_DATA_VALUE, value, size);
  message_end(message, data);
}

static void put_comparison(struct message *message, uint32_t operator, const void *value, size_t size) {
  struct expression compare = expression_begin(message, "cmp");
  message_put_be32(message, NFTA_CMP_SREG, NFT_REG_1);
  message_put_be32(message, NFTA_CMP_OP, operator);
  put_value(message, NFTA_CMP_DATA, value, size);
  expression_end(message, compare);
}

static void put_is_tcp(struct message *message) {
  uint8_t protocol = IPPROTO_TCP;
  struct expression meta = expression_begin(message, "meta");
  message_put_be32(message, NFTA_META_KEY, NFT_META_L4PROTO);
  message_put_be32(message, NFTA_META_DREG, NFT_REG_1);
  expression_end(message, meta);
  put_comparison(message, NFT_CMP_EQ, &protocol, sizeof protocol);
}

/* Not to a Pod, and not to a Service: others answer there, or none does. */
static void put_is_outside(struct message *message) {
  uint16_t pods = htons(pod_prefix());
  uint16_t services = htons(service_prefix());
  struct expression payload = expression_begin(message, "payload");
  message_put_be32(message, NFTA_PAYLOAD_DREG, NFT_REG_1);
  message_put_be32(message, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
  message_put_be32(message, NFTA_PAYLOAD_OFFSET, DESTINATION_OFFSET);
  message_put_be32(message, NFTA_PAYLOAD_LEN, PREFIX_BYTES);
  expression_end(message, payload);
  put_comparison(message, NFT_CMP_NEQ, &pods, sizeof pods);
  put_comparison(message, NFT_CMP_NEQ, &services, sizeof services);
}

static void put_hand_to(struct message *message, uint16_t port) {
  struct expression immediate = expression_begin(message, "immediate");
  message_put_be32(message, NFTA_IMMEDIATE_DREG, NFT_REG_1);
  put_value(message, NFTA_IMMEDIATE_DATA, &port, sizeof port);
  expression_end(message, immediate);
  struct expression hand = expression_begin(message, "tproxy");
  message_put_be32(message, NFTA_TPROXY_FAMILY, NFPROTO_IPV4);
  message_put_be32(message, NFTA_TPROXY_REG_PORT, NFT_REG_1);
  expression_end(message, hand);
}

static void put_rule(struct message *message, uint16_t port) {
  begin(message, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);
  message_put_text(message, NFTA_RULE_TABLE, TABLE);
  message_put_text(message, NFTA_RULE_CHAIN, CHAIN);
  size_t expressions = message_nest(message, NFTA_RULE_EXPRESSIONS);
  put_is_tcp(message);
  put_is_outside(message);
  put_hand_to(message, port);
  message_end(message, expressions);
}

/* The port is in the order of the network. A negative error number, or 0. */
static int intercept(uint16_t port) {
  struct message message = {.length = 0};
  int netlink = netlink_open(NETLINK_NETFILTER);
  if (netlink < 0) return -errno;
  put_batch(&message, NFNL_MSG_BATCH_BEGIN);
  begin(&message, NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_ACK);
  message_put_text(&message, NFTA_TABLE_NAME, TABLE);
  put_chain(&message);
  put_rule(&message, port);
  put_batch(&message, NFNL_MSG_BATCH_END);
  int error = netlink_send(netlink, &message, 3);
  close(netlink);
  return error;
}

static int listen_transparently(uint16_t *port) {
  int yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  int listening = socket_of(BRIDGE_NAMESPACE, SOCK_STREAM);
  if (listening < 0) return -1;
  if (setsockopt(listening, SOL_IP, IP_TRANSPARENT, &yes, sizeof yes) == 0 && bind(listening, (struct sockaddr *)&address, length) == 0 &&
      listen(listening, BACKLOG) == 0 && getsockname(listening, (struct sockaddr *)&address, &length) == 0) {
    *port = address.sin_port;
    return listening;
  }
  int error = errno;
  close(listening);
  errno = error;
  return -1;
}

int open_way_out(void) {
  static int is_open;
  uint16_t port = 0;
  if (is_open) {
    report_error("the way out is open already");
    return -1;
  }
  int listening = listen_transparently(&port);
  if (listening < 0) {
    report_error("cannot listen for connections to other networks: %s", strerror(errno));
    return -1;
  }
  int error = intercept(port);
  if (error != 0) report_error("the kernel has no nf_tables with tproxy: %s", strerror(-error));
  if (error == 0 && (error = take_all_addresses()) != 0) report_error("cannot route to other networks: %s", strerror(-error));
  if (error != 0) {
    close(listening);
    return -1;
  }
  is_open = 1;
  return listening;
}

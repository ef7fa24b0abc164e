#include "pods.h"

#include "netlink.h"
#include "report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOPBACK_INDEX 1
#define PREFIX_BITS 16
#define BRIDGE "pods"
#define POD_DEVICE "eth0"
#define MACHINE_DEVICE "tektite"
#define CREATE (NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK)

/* The addresses of devices are made from those of the network: a bridge would take another one with every Pod. */
static const unsigned char hardware_prefix[2] = {0x02, 0x54};

static struct {
  /* The machine's, which is left as it is unless it is connected. */
  int machine;
  int namespace;
  int netlink;
  uint32_t bridge;
  uint16_t pods;
  uint16_t services;
  /* Open namespaces of Pods and one more than their descriptor, so that 0 means none. */
  int opened[LAST_POD + 1];
  uint32_t serial;
} network;

uint16_t pod_prefix(void) { return network.pods; }
uint16_t service_prefix(void) { return network.services; }

/* In the order of the network. */
static uint32_t address_of(uint16_t prefix, uint32_t number) { return htonl((uint32_t)prefix << 16 | number); }

static void hardware_address(uint32_t number, unsigned char bytes[6]) {
  uint32_t address = address_of(network.pods, number);
  memcpy(bytes, hardware_prefix, sizeof hardware_prefix);
  memcpy(bytes + 2, &address, sizeof address);
}

static uint32_t index_of(int socket_in_namespace, const char *name) {
  struct ifreq request = {0};
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  return ioctl(socket_in_namespace, SIOCGIFINDEX, &request) == 0 ? (uint32_t)request.ifr_ifindex : 0;
}

static void put_up(struct message *message, uint32_t index) {
  struct ifinfomsg link = {.ifi_index = (int)index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
  message_begin(message, RTM_NEWLINK, NLM_F_ACK, &link, sizeof link);
}

static void put_address(struct message *message, uint32_t index, uint32_t number) {
  uint32_t address = address_of(network.pods, number);
  uint32_t broadcast = address_of(network.pods, 0xffff);
  struct ifaddrmsg body = {.ifa_family = AF_INET, .ifa_prefixlen = PREFIX_BITS, .ifa_index = index};
  message_begin(message, RTM_NEWADDR, CREATE, &body, sizeof body);
  message_put(message, IFA_LOCAL, &address, sizeof address);
  message_put(message, IFA_ADDRESS, &address, sizeof address);
  message_put(message, IFA_BROADCAST, &broadcast, sizeof broadcast);
}

/* The way to all addresses that no other route has. */
static void put_default_route(struct message *message) {
  uint32_t gateway = address_of(network.pods, GATEWAY);
  struct rtmsg body = {.rtm_family = AF_INET, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = RTN_UNICAST};
  message_begin(message, RTM_NEWROUTE, CREATE, &body, sizeof body);
  message_put(message, RTA_GATEWAY, &gateway, sizeof gateway);
}

/* Addresses that this namespace answers for, though no device has them. */
static void put_local_route(struct message *message, uint32_t destination, uint8_t bits) {
  struct rtmsg body = {.rtm_family = AF_INET, .rtm_dst_len = bits, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_HOST, .rtm_type = RTN_LOCAL};
  message_begin(message, RTM_NEWROUTE, CREATE, &body, sizeof body);
  if (bits > 0) message_put(message, RTA_DST, &destination, sizeof destination);
  message_put_u32(message, RTA_OIF, LOOPBACK_INDEX);
}

static void put_bridge(struct message *message) {
  unsigned char hardware[6];
  struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
  hardware_address(GATEWAY, hardware);
  message_begin(message, RTM_NEWLINK, CREATE, &link, sizeof link);
  message_put_text(message, IFLA_IFNAME, BRIDGE);
  message_put(message, IFLA_ADDRESS, hardware, sizeof hardware);
  size_t info = message_nest(message, IFLA_LINKINFO);
  message_put_text(message, IFLA_INFO_KIND, "bridge");
  message_end(message, info);
}

/* The way to Services, from a namespace of the network. */
static void put_service_route(struct message *message) {
  uint32_t gateway = address_of(network.pods, GATEWAY);
  uint32_t destination = address_of(network.services, 0);
  struct rtmsg body = {.rtm_family = AF_INET, .rtm_dst_len = PREFIX_BITS, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = RTN_UNICAST};
  message_begin(message, RTM_NEWROUTE, CREATE, &body, sizeof body);
  message_put(message, RTA_DST, &destination, sizeof destination);
  message_put(message, RTA_GATEWAY, &gateway, sizeof gateway);
}

/* Both ends of a connection to the bridge, the one already in the other namespace; only the bridge's can be up at once. */
static void put_pair(struct message *message, uint32_t number, int namespace, const char *device) {
  char name[IFNAMSIZ];
  unsigned char hardware[6];
  struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
  struct ifinfomsg end = {.ifi_flags = 0};
  snprintf(name, sizeof name, "pod%u", ++network.serial);
  hardware_address(number, hardware);
  message_begin(message, RTM_NEWLINK, CREATE, &link, sizeof link);
  message_put_text(message, IFLA_IFNAME, name);
  message_put_u32(message, IFLA_MASTER, network.bridge);
  size_t info = message_nest(message, IFLA_LINKINFO);
  message_put_text(message, IFLA_INFO_KIND, "veth");
  size_t data = message_nest(message, IFLA_INFO_DATA);
  size_t peer = message_nest(message, VETH_INFO_PEER);
  message_raw(message, &end, sizeof end);
  message_put_text(message, IFLA_IFNAME, device);
  message_put(message, IFLA_ADDRESS, hardware, sizeof hardware);
  message_put_u32(message, IFLA_NET_NS_FD, (uint32_t)namespace);
  message_end(message, peer);
  message_end(message, data);
  message_end(message, info);
}

/* Settings that a program of a Pod may expect; a machine that hides them does without. */
static bool write_setting(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  return written;
}

/* Frames between Pods are none of the filter's business; where it sees them, it loses the sockets that it hands packets to. */
static void keep_frames_from_filter(void) { write_setting("/proc/sys/net/bridge/bridge-nf-call-iptables", "0"); }

/* As container engines have it: any program listens on any port of the Pod, and may ping. */
static void relax_settings(void) {
  write_setting("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  if (!write_setting("/proc/sys/net/ipv4/ping_group_range", "0 2147483647")) write_setting("/proc/sys/net/ipv4/ping_group_range", "0 0");
}

static int own_namespace(void) { return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC); }

static void return_to_bridge(void) {
  if (setns(network.namespace, CLONE_NEWNET) != 0) fail("cannot return to the namespace of the bridge: %s", strerror(errno));
}

void open_network(uint16_t pods, uint16_t services) {
  struct message message = {.length = 0};
  network.pods = pods;
  network.services = services;
  network.machine = own_namespace();
  if (unshare(CLONE_NEWNET) != 0) fail("the kernel denies a network namespace: %s", strerror(errno));
  network.namespace = own_namespace();
  network.netlink = netlink_open(NETLINK_ROUTE);
  if (network.namespace < 0 || network.netlink < 0) fail("cannot open the network namespace: %s", strerror(errno));
  put_up(&message, LOOPBACK_INDEX);
  put_bridge(&message);
  int error = netlink_send(network.netlink, &message, 2);
  if (error != 0) fail("cannot make a bridge: %s", strerror(-error));
  network.bridge = index_of(network.netlink, BRIDGE);
  put_address(&message, network.bridge, GATEWAY);
  put_local_route(&message, address_of(services, 0), PREFIX_BITS);
  error = netlink_send(network.netlink, &message, 2);
  if (error != 0) fail("cannot set the addresses of the bridge: %s", strerror(-error));
  keep_frames_from_filter();
}

int take_all_addresses(void) {
  struct message message = {.length = 0};
  put_local_route(&message, 0, 0);
  int error = netlink_send(network.netlink, &message, 1);
  return error == -EEXIST ? 0 : error;
}

/* A new namespace and a netlink socket in it. This process is in the bridge's again afterwards. */
static int new_namespace(int *netlink) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  relax_settings();
  int namespace = own_namespace();
  *netlink = netlink_open(NETLINK_ROUTE);
  int error = errno;
  return_to_bridge();
  /* The filter may have been loaded since the start. */
  keep_frames_from_filter();
  if (namespace >= 0 && *netlink >= 0) return namespace;
  if (namespace >= 0) close(namespace);
  if (*netlink >= 0) close(*netlink);
  errno = error;
  return -1;
}

static int connect_pod(uint32_t number, int namespace, int netlink) {
  struct message message = {.length = 0};
  put_pair(&message, number, namespace, POD_DEVICE);
  int error = netlink_send(network.netlink, &message, 1);
  if (error != 0) return error;
  uint32_t device = index_of(netlink, POD_DEVICE);
  put_up(&message, LOOPBACK_INDEX);
  put_up(&message, device);
  put_address(&message, device, number);
  put_default_route(&message);
  return netlink_send(netlink, &message, 4);
}

int add_pod(uint32_t number) {
  int netlink = NO_DESCRIPTOR;
  if (number < FIRST_POD || number > LAST_POD || network.opened[number] != 0) {
    report_error("no Pod can have the number %u", number);
    return NO_DESCRIPTOR;
  }
  int namespace = new_namespace(&netlink);
  if (namespace < 0) {
    report_error("the kernel denies a network namespace: %s", strerror(errno));
    return NO_DESCRIPTOR;
  }
  int error = connect_pod(number, namespace, netlink);
  close(netlink);
  if (error != 0) {
    close(namespace);
    report_error("cannot connect the Pod to the bridge: %s", strerror(-error));
    return NO_DESCRIPTOR;
  }
  network.opened[number] = namespace + 1;
  return namespace;
}

/* A socket in the machine's namespace. This process is in the bridge's again afterwards. */
static int machine_netlink(void) {
  if (network.machine < 0 || setns(network.machine, CLONE_NEWNET) != 0) return -1;
  int netlink = netlink_open(NETLINK_ROUTE);
  int error = errno;
  return_to_bridge();
  errno = error;
  return netlink;
}

int connect_machine(void) {
  struct message message = {.length = 0};
  int netlink = machine_netlink();
  if (netlink < 0) {
    report_error("cannot enter the network of the machine: %s", strerror(errno));
    return -1;
  }
  put_pair(&message, MACHINE, network.machine, MACHINE_DEVICE);
  int error = netlink_send(network.netlink, &message, 1);
  if (error == 0) {
    uint32_t device = index_of(netlink, MACHINE_DEVICE);
    put_up(&message, device);
    put_address(&message, device, MACHINE);
    put_service_route(&message);
    error = netlink_send(netlink, &message, 3);
  }
  close(netlink);
  if (error != 0) report_error("cannot connect the machine to the bridge: %s", strerror(-error));
  return error == 0 ? 0 : -1;
}

int remove_pod(uint32_t number) {
  if (number < FIRST_POD || number > LAST_POD || network.opened[number] == 0) {
    report_error("no Pod has the number %u", number);
    return -1;
  }
  close(network.opened[number] - 1);
  network.opened[number] = 0;
  return 0;
}

int socket_of(uint32_t number, int type) {
  bool elsewhere = number != BRIDGE_NAMESPACE;
  if (elsewhere && (number > LAST_POD || network.opened[number] == 0)) {
    errno = ENONET;
    return -1;
  }
  if (elsewhere && setns(network.opened[number] - 1, CLONE_NEWNET) != 0) return -1;
  int made = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int error = errno;
  if (elsewhere) return_to_bridge();
  errno = error;
  return made;
}

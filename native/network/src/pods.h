/*
 * The network of the node's Pods: a bridge in a network namespace, and a namespace with a pair of devices for each Pod.
 *
 * Pods are numbered; the number is the second half of a Pod's address. Number 1 is the bridge, the way out of each Pod. Addresses of
 * Services are local addresses of the bridge's namespace: sockets that listen there answer for them.
 */
#ifndef NETWORK_PODS_H
#define NETWORK_PODS_H

#include <stdint.h>

#define GATEWAY 1u
#define FIRST_POD 2u
#define LAST_POD 65533u
/* The number of the machine, where it is connected. */
#define MACHINE 65534u
/* In the place of a Pod's number. */
#define BRIDGE_NAMESPACE 0u
#define NO_DESCRIPTOR (-1)

/* Makes the namespace of the bridge, and the bridge. Prefixes are the first half of an address, in the order of the host. */
void open_network(uint16_t pods, uint16_t services);

/* Makes the namespace of a Pod. Returns its descriptor, or -1 after the error was reported. */
int add_pod(uint32_t number);

/* Gives the machine a device in the network, and routes. 0, or -1 after the error was reported. */
int connect_machine(void);

/* Gives up the namespace of a Pod: the kernel removes it when its last process has ended. */
int remove_pod(uint32_t number);

/* A socket of a Pod's namespace, or of the bridge's. -1 with errno. */
int socket_of(uint32_t number, int type);

/* Makes every address that is not the Pods' or the Services' one of the bridge's namespace. A negative error number, or 0. */
int take_all_addresses(void);

uint16_t pod_prefix(void);
uint16_t service_prefix(void);

#endif

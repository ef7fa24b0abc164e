/*
 * The way out of the Pods' network: TCP connections to all other addresses are accepted in their place by one socket, which the
 * caller relays to the machine's network. The address that was meant is the local one of an accepted connection.
 */
#ifndef NETWORK_WAY_OUT_H
#define NETWORK_WAY_OUT_H

/* The listening socket, or -1 after the error was reported. */
int open_way_out(void);

#endif

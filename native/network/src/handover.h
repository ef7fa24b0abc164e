/* Gives open sockets to the process that started this one. */
#ifndef NETWORK_HANDOVER_H
#define NETWORK_HANDOVER_H

/*
 * Sends a socket over Node's channel between processes, in the form in which Node itself does, and closes it here. It names the
 * command that it answers. Fails this process when that channel is broken.
 */
void hand_over(int descriptor, int type);

/* Reads and ignores what Node acknowledges. Returns 0 when the channel has ended. */
int read_acknowledgements(void);

#endif

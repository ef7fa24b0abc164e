/*
 * Unpacks one layer of an image into a folder that overlayfs can use as a lower directory.
 *
 * Whiteouts become character devices 0/0, opaque folders get overlayfs' attributes. Devices are left out. Nothing is written
 * outside of the folder, whatever the archive says.
 */
#ifndef LAYERS_UNPACK_H
#define LAYERS_UNPACK_H

#include <stdbool.h>

struct unpack_options {
  /* Files get the owners of the archive; otherwise all belong to this user. */
  bool owners;
  unsigned long max_entries;
};

void unpack(int root, struct unpack_options options);

#endif

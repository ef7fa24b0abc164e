import { existsSync } from 'node:fs';
import type { ImageMapping } from '@tektite/node';

/** Images whose shell is busybox's: scripts that are written for them use what other shells do not know. */
const names = ['busybox', 'alpine'];
const places = ['/bin/busybox', '/usr/bin/busybox'];

/** These images with their shell, where the machine has it; with the machine's own, where it has not. */
export function shellImages(): ImageMapping {
  const shell = places.find((place) => existsSync(place));
  return shell === undefined ? {} : Object.fromEntries(names.map((name) => [name, { shell }]));
}

import { existsSync } from 'node:fs';
import type { ImageMapping } from '@tektite/node';

/** Images that start a shell, and run what they are given as arguments: a Pod of them needs no command. */
const bases = [
  'alpine',
  'busybox',
  'bash',
  'debian',
  'ubuntu',
  'fedora',
  'centos',
  'rockylinux',
  'almalinux',
  'archlinux',
];
/** Those whose shell is busybox's: scripts that are written for them use what other shells do not know. */
const names = ['busybox', 'alpine'];
const places = ['/bin/busybox', '/usr/bin/busybox'];

/** These images, with busybox's shell where they have it and the machine does, and with the machine's own otherwise. */
export function shellImages(): ImageMapping {
  const shell = places.find((place) => existsSync(place));
  const image = (name: string) => ({ cmd: ['sh'], ...(shell !== undefined && names.includes(name) ? { shell } : {}) });
  return Object.fromEntries(bases.map((name) => [name, image(name)]));
}

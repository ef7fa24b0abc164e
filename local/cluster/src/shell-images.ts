import { existsSync } from 'node:fs';
import type { ImageMapping } from '@tektite/node';
import { parseImageReference } from '@tektite/oci';

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
  const shell = findBusybox();
  const image = (name: string) => ({ cmd: ['sh'], ...(shell !== undefined && names.includes(name) ? { shell } : {}) });
  return Object.fromEntries(bases.map((name) => [name, image(name)]));
}

/** The programs that replace one of these images, in words; undefined for others, and for images of the same name that anyone could have made. */
export function shellReplacement(image: string): string | undefined {
  const [, name = ''] = /^(?:(?:.*\/)?library\/)?([^/]+)$/.exec(repositoryOf(image)) ?? [];
  if (!bases.includes(name)) return undefined;
  const shell = names.includes(name) ? findBusybox() : undefined;
  return shell === undefined ? 'the programs of this machine' : `${shell} and the programs of this machine`;
}

function repositoryOf(image: string): string {
  try {
    return parseImageReference(image).repository;
  } catch {
    return '';
  }
}

function findBusybox(): string | undefined {
  return places.find((place) => existsSync(place));
}

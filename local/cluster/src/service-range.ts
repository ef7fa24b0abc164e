import { createHash } from 'node:crypto';

/**
 * The address range of Services, taken from the loopback network, which needs no configuration. Each data folder has a
 * separate part, so that two control planes of a machine do not collide. The part is stable, because Services keep
 * their addresses.
 */
export function serviceRange(folder: string): string {
  const [first = 0, second = 0] = createHash('sha256').update(folder).digest();
  return `127.${64 + (first % 64)}.${second & 0xf0}.0/20`;
}

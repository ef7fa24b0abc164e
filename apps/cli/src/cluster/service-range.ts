import { createHash } from 'node:crypto';

/**
 * Addresses for Services: of the network that a machine has without being told. Each data folder has a part of its own, so
 * that two control planes of a machine do not want the same; always the same one, because Services keep their addresses.
 */
export function serviceRange(folder: string): string {
  const [first = 0, second = 0] = createHash('sha256').update(folder).digest();
  return `127.${64 + (first % 64)}.${second & 0xf0}.0/20`;
}

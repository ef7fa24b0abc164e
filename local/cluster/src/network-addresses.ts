import { createHash } from 'node:crypto';

/**
 * The addresses of Services where Pods have a network. The same for all clusters: no other network sees them. The network program takes
 * all of 10.96.0.0/16.
 */
export const podServiceRange = '10.96.0.0/20';

/** The Service of the API there, and its certificate. */
export const podApiAddress = { host: '10.96.0.1', port: 443 };

/** The name server of Pods with a network. */
export const clusterDns = { address: '10.96.0.10', domain: 'cluster.local' };

/**
 * The address range of Services where Pods have the machine's network, taken from the loopback network, which needs no configuration.
 * Each data folder has a separate part, so that two control planes of a machine do not collide. The part is stable, because Services
 * keep their addresses.
 */
export function machineServiceRange(folder: string): string {
  const [first = 0, second = 0] = createHash('sha256').update(folder).digest();
  return `127.${64 + (first % 64)}.${second & 0xf0}.0/20`;
}

/**
 * An address of the other kind of range, moved into this one: at the same place, so that no two become one. Undefined: it stays as it is.
 * Both kinds have as many addresses.
 */
export function movedAddress(address: string, range: string): string | undefined {
  const isOurs =
    /^10\.96\.(?:\d|1[0-5])\.\d+$/.test(address) || /^127\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/.test(address);
  const [first = 0, second = 0, third = 0] = range.split('.').map(Number);
  const [, , block = 0, last = 0] = address.split('.').map(Number);
  const moved = `${first}.${second}.${third + (block & 0xf)}.${last}`;
  return isOurs && moved !== address ? moved : undefined;
}

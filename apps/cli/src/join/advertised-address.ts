import { isIP } from 'node:net';
import type { networkInterfaces } from 'node:os';
import { UserError } from '../user-error.ts';

/**
 * The address at which other machines reach the API: the one that is given, or the one that it listens on. A server that listens on
 * all addresses takes the first of the machine that is not loopback.
 */
export function advertisedAddress(
  host: string,
  given: string | undefined,
  interfaces: ReturnType<typeof networkInterfaces>,
): string {
  if (given !== undefined && isIP(given) === 0)
    throw new UserError(`--advertise-address must be an IP address, not ${JSON.stringify(given)}`, 2);
  if (given !== undefined) return given;
  if (host !== '0.0.0.0' && host !== '::') return host;
  const others = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:') && !address.startsWith('169.254.'));
  const found = others.find(({ family }) => family === 'IPv4') ?? others[0];
  return found?.address ?? (host === '::' ? '::1' : '127.0.0.1');
}

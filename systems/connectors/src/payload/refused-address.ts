import { BlockList, isIP } from 'node:net';

/** Where only this machine and its cloud are: what users name there is not meant for them. */
const refused = new BlockList();
refused.addSubnet('0.0.0.0', 8, 'ipv4');
refused.addSubnet('127.0.0.0', 8, 'ipv4');
refused.addSubnet('169.254.0.0', 16, 'ipv4');
// The metadata services of clouds that are not in the link-local range.
refused.addAddress('100.100.100.200', 'ipv4');
refused.addAddress('192.0.0.192', 'ipv4');
refused.addAddress('fd00:ec2::254', 'ipv6');
refused.addAddress('::', 'ipv6');
refused.addAddress('::1', 'ipv6');
refused.addSubnet('fe80::', 10, 'ipv6');

/**
 * Reports whether an address is loopback, link-local or of a metadata service. IPv4 addresses inside IPv6 forms are
 * unwrapped.
 */
export function isRefusedAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 4) return refused.check(plain, 'ipv4');
  if (family !== 6) return false;
  if (refused.check(plain, 'ipv6')) return true;
  const inner = embeddedIPv4(plain);
  return inner !== undefined && refused.check(inner, 'ipv4');
}

/** Of `::ffff:127.0.0.1`, `64:ff9b::7f00:1` and their like. */
function embeddedIPv4(address: string): string | undefined {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const match = /^(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!match) return undefined;
  const bytes = [match[1], match[2]].flatMap((part) => {
    const value = Number.parseInt(part as string, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

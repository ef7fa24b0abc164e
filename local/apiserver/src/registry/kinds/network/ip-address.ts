import { formatIp as formatGoIp, isIpv4Mapped, parseIp as parseGoIp } from '@tektite/go';

/** IP addresses and ranges as Go reads them: once leniently (leading zeros) as Kubernetes long did, once strictly. */

export interface IpAddress {
  /** Four bytes or sixteen; an IPv4 address written as IPv6 has four. */
  readonly bytes: readonly number[];
  /** Written as `::ffff:1.2.3.4`. */
  readonly mapped: boolean;
  /** Written so that lenient readers alone accept it. */
  readonly sloppy: boolean;
}

export interface IpRange {
  readonly address: IpAddress;
  readonly prefix: number;
  /** The prefix length was written with leading zeros. */
  readonly sloppyPrefix: boolean;
}

export function parseIp(text: string): IpAddress | undefined {
  const found = parseGoIp(text, { leadingZeros: true, longGroups: true });
  if (!found) return undefined;
  const mapped = isIpv4Mapped(found);
  return { bytes: [...found.bytes.subarray(mapped ? 12 : 0)], mapped, sloppy: parseGoIp(text) === undefined };
}

export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^[0-9]+$/.test(length)) return undefined;
  const bits = address.mapped ? 128 : address.bytes.length * 8;
  if (Number(length) > bits) return undefined;
  // A mapped address keeps its IPv6 length on the wire, but is four bytes here.
  const prefix = address.mapped ? Math.max(0, Number(length) - 96) : Number(length);
  return { address, prefix, sloppyPrefix: length.length > 1 && length.startsWith('0') };
}

export const isIpv6 = (address: IpAddress): boolean => address.bytes.length === 16;

/** The canonical form: RFC 5952 for IPv6. */
export function formatIp({ bytes }: Pick<IpAddress, 'bytes'>): string {
  return formatGoIp({ bytes: Uint8Array.from(bytes) });
}

/** The first address of a range. */
export function maskIp({ address, prefix }: IpRange): number[] {
  return address.bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * i))) & 0xff);
}

export const formatCidr = (range: IpRange): string => `${formatIp({ bytes: maskIp(range) })}/${range.prefix}`;

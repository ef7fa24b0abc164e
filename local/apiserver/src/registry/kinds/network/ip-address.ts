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
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return { bytes, mapped: false, sloppy: parts.some((part) => part.length > 1 && part.startsWith('0')) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] as string);
  const tail = halves.length === 2 ? parseGroups(halves[1] as string) : { bytes: [], sloppy: false };
  if (!head || !tail) return undefined;
  const missing = 16 - head.bytes.length - tail.bytes.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  const bytes = [...head.bytes, ...new Array<number>(missing).fill(0), ...tail.bytes];
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return { bytes: mapped ? bytes.slice(12) : bytes, mapped, sloppy: head.sloppy || tail.sloppy };
}

function parseGroups(text: string): { bytes: number[]; sloppy: boolean } | undefined {
  const bytes: number[] = [];
  let sloppy = false;
  if (text === '') return { bytes, sloppy };
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (i === groups.length - 1 && group.includes('.')) {
      const embedded = parseIpv4(group);
      if (!embedded) return undefined;
      bytes.push(...embedded.bytes);
      sloppy ||= embedded.sloppy;
    } else {
      const value = /^[0-9a-fA-F]+$/.test(group) ? Number.parseInt(group, 16) : Number.POSITIVE_INFINITY;
      if (value > 0xffff) return undefined;
      sloppy ||= group.length > 4;
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return { bytes, sloppy };
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
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number));
  const [start, length] = longestZeros(groups);
  const hex = (list: readonly number[]) => list.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0];
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - i > best[1]) best = [i, end - i];
    if (end > i) i = end;
  }
  return best;
}

/** The first address of a range. */
export function maskIp({ address, prefix }: IpRange): number[] {
  return address.bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * i))) & 0xff);
}

export const formatCidr = (range: IpRange): string => `${formatIp({ bytes: maskIp(range) })}/${range.prefix}`;

/** An IP address: 4 or 16 bytes. The zone of `fe80::1%eth0` is kept where it is allowed. */
export interface IpAddress {
  readonly bytes: Uint8Array;
  readonly zone?: string;
}

export interface IpOptions {
  /** Leading zeros in IPv4 (`010.0.0.1`) were once accepted; some formats still do. */
  readonly leadingZeros?: boolean;
  /** Likewise, groups of IPv6 with more than four digits (`::00001`). */
  readonly longGroups?: boolean;
  /** Whether a zone may follow an IPv6 address. */
  readonly zone?: boolean;
}

/** Reads an address as Go's `net.ParseIP` and `netip.ParseAddr` do; `undefined` when it is none. */
export function parseIp(text: string, options: IpOptions = {}): IpAddress | undefined {
  if (text.length > 256) return undefined;
  for (const char of text) {
    if (char === '.') {
      const bytes = parseIpv4(text, options);
      return bytes && { bytes };
    }
    if (char === ':') return parseIpv6WithZone(text, options);
    if (char === '%') return undefined;
  }
  return undefined;
}

function parseIpv4(text: string, { leadingZeros = false }: IpOptions): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [index, part] of parts.entries()) {
    if (!/^[0-9]+$/.test(part) || part.length > (leadingZeros ? 16 : 3)) return undefined;
    if (!leadingZeros && part.length > 1 && part.startsWith('0')) return undefined;
    const value = Number(part);
    if (value > 255) return undefined;
    bytes[index] = value;
  }
  return bytes;
}

function parseIpv6WithZone(text: string, options: IpOptions): IpAddress | undefined {
  const percent = text.indexOf('%');
  if (percent >= 0 && (!options.zone || percent === text.length - 1)) return undefined;
  const bytes = parseIpv6(percent < 0 ? text : text.slice(0, percent), options);
  if (!bytes) return undefined;
  return percent < 0 ? { bytes } : { bytes, zone: text.slice(percent + 1) };
}

function parseIpv6(text: string, options: IpOptions): Uint8Array | undefined {
  const gap = text.indexOf('::');
  if (gap >= 0 && text.includes('::', gap + 1)) return undefined;
  const head = groups(gap < 0 ? text : text.slice(0, gap), gap < 0, options);
  const tail = gap < 0 ? [] : groups(text.slice(gap + 2), true, options);
  if (!head || !tail) return undefined;
  const missing = 16 - head.length - tail.length;
  if (gap < 0 ? missing !== 0 : missing < 1) return undefined;
  return Uint8Array.from([...head, ...new Uint8Array(missing), ...tail]);
}

/** The bytes of groups between colons; the last may be an IPv4 address. */
function groups(text: string, mayEndInIpv4: boolean, options: IpOptions): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (mayEndInIpv4 && index === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part, options);
      if (!embedded) return undefined;
      bytes.push(...embedded);
    } else {
      if (!/^[0-9a-fA-F]+$/.test(part) || (part.length > 4 && !options.longGroups)) return undefined;
      const value = Number.parseInt(part, 16);
      if (value > 0xffff) return undefined;
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

/** Whether an IPv6 address holds an IPv4 one (`::ffff:1.2.3.4`). */
export function isIpv4Mapped({ bytes }: IpAddress): boolean {
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
}

/** The canonical form: IPv6 in lower case with its longest run of zeros cut out. */
export function formatIp(address: IpAddress): string {
  const { bytes, zone } = address;
  const suffix = zone === undefined ? '' : `%${zone}`;
  if (bytes.length === 4) return bytes.join('.');
  if (isIpv4Mapped(address)) return `::ffff:${bytes.subarray(12).join('.')}${suffix}`;
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const { start, length } = longestZeroRun(words);
  const hex = (part: readonly number[]) => part.map((word) => word.toString(16)).join(':');
  if (length < 2) return hex(words) + suffix;
  return `${hex(words.slice(0, start))}::${hex(words.slice(start + length))}${suffix}`;
}

function longestZeroRun(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < words.length; start++) {
    let length = 0;
    while (words[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** A network: an address and how many leading bits count. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** Reads `10.0.0.0/8`; `undefined` when it is none. */
export function parseCidr(text: string, options: IpOptions = {}): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash), options);
  const digits = text.slice(slash + 1);
  if (!address || !/^[0-9]{1,3}$/.test(digits)) return undefined;
  if (!options.leadingZeros && digits.length > 1 && digits.startsWith('0')) return undefined;
  const prefixLength = Number(digits);
  return prefixLength <= address.bytes.length * 8 ? { address, prefixLength } : undefined;
}

/** The address with all bits after the prefix cleared. */
export function maskAddress({ address, prefixLength }: Cidr): IpAddress {
  const bytes = address.bytes.map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff << (8 - bits));
  });
  return { bytes };
}

/** Whether the address lies in the network; addresses of the other family never do. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.bytes.length !== address.bytes.length) return false;
  const network = maskAddress(cidr).bytes;
  const masked = maskAddress({ address, prefixLength: cidr.prefixLength }).bytes;
  return network.every((byte, index) => byte === masked[index]);
}

import { quoteGo } from '@tektite/meta';
import {
  type Cidr,
  cidrContains,
  formatIp,
  type IpAddress,
  isIpv4Mapped,
  maskAddress,
  parseCidr,
  parseIp,
} from '@tektite/go';
import { type GoUrl, hostName, parseQuery, parseRequestUri, portOf } from '../../format/go-url.ts';
import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, intType, listType, mapType, namedType, opaqueType, stringType } from '../language/type.ts';
import { ArrayList, EntryMap, OpaqueValue, type Value } from '../language/value.ts';

export const ipType = opaqueType('net.IP');
export const cidrType = opaqueType('net.CIDR');
export const urlType = namedType('kubernetes.URL');

class IpValue extends OpaqueValue {
  readonly type = ipType;
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    super();
    this.address = address;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && formatIp(other.address) === formatIp(this.address);
  }
  override get costSize(): number {
    return this.address.bytes.length;
  }
}

class CidrValue extends OpaqueValue {
  readonly type = cidrType;
  readonly cidr: Cidr;
  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && formatCidr(other) === formatCidr(this);
  }
  override get costSize(): number {
    return Math.ceil(this.cidr.prefixLength / 8);
  }
}

class UrlValue extends OpaqueValue {
  readonly type = urlType;
  readonly url: GoUrl;
  private readonly text: string;
  constructor(url: GoUrl, text: string) {
    super();
    this.url = url;
    this.text = text;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

/** An address without zone, and not an IPv4 address in the clothes of IPv6. */
function readIp(text: string): IpAddress {
  const address = parseIp(text, { zone: true });
  if (!address) {
    const reason = `ParseAddr(${quoteGo(text)}): unable to parse IP`;
    throw new EvaluationError(`IP Address ${quoteGo(text)} parse error during conversion from string: ${reason}`);
  }
  if (address.zone !== undefined)
    throw new EvaluationError(`IP address ${quoteGo(text)} with zone value is not allowed`);
  if (isIpv4Mapped(address)) throw new EvaluationError(`IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  return address;
}

function readCidr(text: string): Cidr {
  const prefix = 'network address parse error during conversion from string: ';
  const cidr = parseCidr(text);
  if (!cidr) throw new EvaluationError(`${prefix}${prefix}netip.ParsePrefix(${quoteGo(text)}): no '/'`);
  if (isIpv4Mapped(cidr.address))
    throw new EvaluationError(`${prefix}IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  return cidr;
}

const formatCidr = ({ cidr }: CidrValue): string => `${formatIp(cidr.address)}/${cidr.prefixLength}`;

function succeeds(read: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  };
}

const isLoopback = ({ bytes }: IpAddress): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
const isUnspecified = ({ bytes }: IpAddress): boolean => bytes.every((byte) => byte === 0);
const isMulticast = ({ bytes }: IpAddress): boolean =>
  bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalUnicast = ({ bytes }: IpAddress): boolean =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
const isLinkLocalMulticast = ({ bytes }: IpAddress): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;
const isGlobalUnicast = (address: IpAddress): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(address.bytes.length === 4 && address.bytes.every((byte) => byte === 255));

function containsCidr({ cidr }: CidrValue, other: Cidr): boolean {
  return cidr.prefixLength <= other.prefixLength && cidrContains(cidr, other.address);
}

function readUrl(text: string): UrlValue {
  const url = parseRequestUri(text);
  if (typeof url !== 'string') return new UrlValue(url, text);
  throw new EvaluationError(`URL parse error during conversion from string: parse ${quoteGo(text)}: ${url}`);
}

function query({ url }: UrlValue): Value {
  return EntryMap.of([...parseQuery(url.rawQuery)].map(([key, values]) => [key, new ArrayList(values)]));
}

const ipTest = (name: string, test: (address: IpAddress) => boolean): FunctionDeclaration =>
  declare(
    name,
    method(`ip_${name}`, [ipType], boolType, ({ address }: IpValue) => test(address)),
  );
const urlPart = (name: string, read: (url: GoUrl) => string): FunctionDeclaration =>
  declare(
    name,
    method(`url_${name}`, [urlType], stringType, ({ url }: UrlValue) => read(url)),
  );

/** Kubernetes' functions on addresses, networks and URLs. */
export const networkLibrary: readonly FunctionDeclaration[] = [
  declare(
    'ip',
    overload('string_to_ip', [stringType], ipType, (text: string) => new IpValue(readIp(text))),
    method('cidr_ip', [cidrType], ipType, ({ cidr }: CidrValue) => new IpValue(cidr.address)),
  ),
  declare('isIP', overload('is_ip', [stringType], boolType, succeeds(readIp))),
  declare(
    'ip.isCanonical',
    overload('ip_is_canonical', [stringType], boolType, (text: string) => formatIp(readIp(text)) === text),
  ),
  declare(
    'family',
    method('ip_family', [ipType], intType, ({ address }: IpValue) => (address.bytes.length === 4 ? 4n : 6n)),
  ),
  ipTest('isUnspecified', isUnspecified),
  ipTest('isLoopback', isLoopback),
  ipTest('isLinkLocalMulticast', isLinkLocalMulticast),
  ipTest('isLinkLocalUnicast', isLinkLocalUnicast),
  ipTest('isGlobalUnicast', isGlobalUnicast),
  declare(
    'cidr',
    overload('string_to_cidr', [stringType], cidrType, (text: string) => new CidrValue(readCidr(text))),
  ),
  declare('isCIDR', overload('is_cidr', [stringType], boolType, succeeds(readCidr))),
  declare(
    'containsIP',
    method('cidr_contains_ip_string', [cidrType, stringType], boolType, ({ cidr }: CidrValue, text: string) =>
      cidrContains(cidr, readIp(text)),
    ),
    method('cidr_contains_ip_ip', [cidrType, ipType], boolType, ({ cidr }: CidrValue, { address }: IpValue) =>
      cidrContains(cidr, address),
    ),
  ),
  declare(
    'containsCIDR',
    method('cidr_contains_cidr_string', [cidrType, stringType], boolType, (cidr: CidrValue, text: string) =>
      containsCidr(cidr, readCidr(text)),
    ),
    method('cidr_contains_cidr', [cidrType, cidrType], boolType, (cidr: CidrValue, other: CidrValue) =>
      containsCidr(cidr, other.cidr),
    ),
  ),
  declare(
    'prefixLength',
    method('cidr_prefix_length', [cidrType], intType, ({ cidr }: CidrValue) => BigInt(cidr.prefixLength)),
  ),
  declare(
    'masked',
    method(
      'cidr_masked',
      [cidrType],
      cidrType,
      ({ cidr }: CidrValue) => new CidrValue({ address: maskAddress(cidr), prefixLength: cidr.prefixLength }),
    ),
  ),
  declare(
    'string',
    overload('ip_to_string', [ipType], stringType, ({ address }: IpValue) => formatIp(address)),
    overload('cidr_to_string', [cidrType], stringType, formatCidr),
  ),
  declare('url', overload('string_to_url', [stringType], urlType, readUrl)),
  declare('isURL', overload('is_url_string', [stringType], boolType, succeeds(readUrl))),
  urlPart('getScheme', (url) => url.scheme),
  urlPart('getHost', (url) => url.host),
  urlPart('getHostname', hostName),
  urlPart('getPort', portOf),
  urlPart('getEscapedPath', (url) => url.escapedPath),
  declare('getQuery', method('url_get_query', [urlType], mapType(stringType, listType(stringType)), query)),
];

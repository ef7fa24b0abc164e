import { type FieldError, type FieldPath, invalid, quoteGo } from '@tektite/meta';
import { checkText } from '../field-checks.ts';
import { formatCidr, formatIp, isIpv6, maskIp, parseCidr, parseIp } from './ip-address.ts';

/** An address in a field that is older than strict rules. What the old object had may stay. */
export function validateIp(value: string, path: FieldPath, errors: FieldError[], old: readonly string[] = []): void {
  if (!old.includes(value)) checkText(value, isIp, path, errors);
}

function isIp(value: string): string[] {
  const address = parseIp(value);
  if (!address) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (address.sloppy) return ['must not have leading 0s'];
  return address.mapped ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** An address in a newer field: only the canonical form will do. */
export function isCanonicalIp(value: string): string[] {
  const violations = isIp(value);
  const address = parseIp(value);
  if (violations.length > 0 || !address || formatIp(address) === value) return violations;
  return [`must be in canonical form (${quoteGo(formatIp(address))})`];
}

export function validateCanonicalIp(value: string, path: FieldPath, errors: FieldError[]): void {
  checkText(value, isCanonicalIp, path, errors);
}

/** A range in a field that is older than strict rules. */
export function validateCidr(value: string, path: FieldPath, errors: FieldError[], old: readonly string[] = []): void {
  if (!old.includes(value)) isStrictCidr(value, path, errors);
}

function isStrictCidr(value: string, path: FieldPath, errors: FieldError[]): boolean {
  const range = parseCidr(value);
  if (!range) errors.push(invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
  else if (range.address.sloppy || range.sloppyPrefix)
    errors.push(invalid(path, value, 'must not have leading 0s in IP or prefix length'));
  else if (range.address.mapped) errors.push(invalid(path, value, 'must not have an IPv4-mapped IPv6 address'));
  else if (maskIp(range).some((byte, i) => byte !== range.address.bytes[i]))
    errors.push(invalid(path, value, 'must not have bits set beyond the prefix length'));
  else return true;
  return false;
}

export function validateCanonicalCidr(value: string, path: FieldPath, errors: FieldError[]): void {
  if (!isStrictCidr(value, path, errors)) return;
  const range = parseCidr(value);
  if (range && formatCidr(range) !== value)
    errors.push(invalid(path, value, `must be in canonical form (${quoteGo(formatCidr(range))})`));
}

/** Advice about an address that is valid but not in its usual form. */
export function ipWarnings(value: string, path: FieldPath): string[] {
  const address = parseIp(value);
  if (!address) return [];
  const canonical = formatIp(address);
  if (address.sloppy || address.mapped)
    return [`${path}: non-standard IP address ${quoteGo(value)} is invalid: use ${quoteGo(canonical)}`];
  if (isIpv6(address) && canonical !== value) {
    const words = 'should be in RFC 5952 canonical format';
    return [`${path}: IPv6 address ${quoteGo(value)} ${words} (${quoteGo(canonical)})`];
  }
  return [];
}

/** Advice about a range that is valid but not in its usual form. */
export function cidrWarnings(value: string, path: FieldPath): string[] {
  const range = parseCidr(value);
  if (!range) return [];
  const warnings: string[] = [];
  const canonical = formatCidr(range);
  if (maskIp(range).some((byte, i) => byte !== range.address.bytes[i])) {
    const single = `${formatIp(range.address)}/${range.address.bytes.length * 8}`;
    warnings.push(
      `${path}: CIDR value ${quoteGo(value)} is ambiguous in this context (should be ${quoteGo(canonical)} or ${quoteGo(single)}?)`,
    );
  }
  if (range.address.sloppy || range.sloppyPrefix || range.address.mapped)
    warnings.push(`${path}: non-standard CIDR value ${quoteGo(value)} is invalid: use ${quoteGo(canonical)}`);
  if (warnings.length === 0 && isIpv6(range.address) && canonical !== value) {
    const words = 'should be in RFC 5952 canonical format';
    warnings.push(`${path}: IPv6 CIDR value ${quoteGo(value)} ${words} (${quoteGo(canonical)})`);
  }
  return warnings;
}

/** Whether two addresses are one of each family. */
export function isDualStack(values: readonly string[]): boolean {
  const addresses = values.map((value) => parseIp(value) ?? parseCidr(value)?.address);
  return (
    addresses.some((address) => address && isIpv6(address)) && addresses.some((address) => address && !isIpv6(address))
  );
}

/** Addresses that cannot be those of an endpoint: loopback, link-local, unspecified. */
export function validateEndpointIp(value: string, path: FieldPath, errors: FieldError[]): void {
  const address = parseIp(value);
  if (!address) {
    errors.push(invalid(path, value, 'must be a valid IP address'));
    return;
  }
  const { bytes } = address;
  const [first = 0, second = 0, third = 0] = bytes;
  const v6 = isIpv6(address);
  const isNumber = (last: number) => bytes.every((byte, i) => byte === (i === bytes.length - 1 ? last : 0));
  if (isNumber(0)) errors.push(invalid(path, value, `may not be unspecified (${value})`));
  if (v6 ? isNumber(1) : first === 127)
    errors.push(invalid(path, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (v6 ? first === 0xfe && (second & 0xc0) === 0x80 : first === 169 && second === 254)
    errors.push(invalid(path, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  if (v6 ? first === 0xff && (second & 0x0f) === 0x02 : first === 224 && second === 0 && third === 0) {
    const detail = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
    errors.push(invalid(path, value, detail));
  }
}

import { type FieldError, FieldPath, formatFieldError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import {
  cidrWarnings,
  ipWarnings,
  isCanonicalIp,
  validateCidr,
  validateEndpointIp,
  validateIp,
} from './validate-ip.ts';

const path = FieldPath.of('ip');

function check(rule: (value: string, path: FieldPath, errors: FieldError[]) => void, value: string): string[] {
  const errors: FieldError[] = [];
  rule(value, path, errors);
  return errors.map((error) => formatFieldError(error).replace(/^ip: Invalid value: "[^"]*": /, ''));
}

describe('addresses', () => {
  it.each([
    ['10.0.0.1', []],
    ['2001:db8::1', []],
    ['10.0.0.256', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['nope', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['010.0.0.1', ['must not have leading 0s']],
    ['::ffff:1.2.3.4', ['must not be an IPv4-mapped IPv6 address']],
  ])('are validated: %s', (value, expected) => expect(check(validateIp, value)).toEqual(expected));

  it('stay when they were there before', () => {
    const errors: FieldError[] = [];
    validateIp('010.0.0.1', path, errors, ['010.0.0.1']);
    expect(errors).toEqual([]);
  });

  it.each([
    ['2001:db8:0:0::1', ['must be in canonical form ("2001:db8::1")']],
    ['2001:DB8::1', ['must be in canonical form ("2001:db8::1")']],
    ['2001:db8::1', []],
  ])('in canonical form: %s', (value, expected) => expect(isCanonicalIp(value)).toEqual(expected));

  it.each([
    ['127.0.0.1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
    ['0.0.0.0', ['may not be unspecified (0.0.0.0)']],
    ['169.254.1.1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
    ['224.0.0.1', ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']],
    ['10.1.2.3', []],
  ])('of endpoints: %s', (value, expected) => expect(check(validateEndpointIp, value)).toEqual(expected));

  it.each([
    ['010.0.0.1', ['ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
    ['10.0.0.1', []],
  ])('with advice: %s', (value, expected) => expect(ipWarnings(value, path)).toEqual(expected));
});

describe('ranges', () => {
  it.each([
    ['10.0.0.0/8', []],
    ['10.0.0.0', ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
    ['10.0.0.1/8', ['must not have bits set beyond the prefix length']],
    ['10.0.0.0/08', ['must not have leading 0s in IP or prefix length']],
  ])('are validated: %s', (value, expected) => expect(check(validateCidr, value)).toEqual(expected));

  it('with advice', () => {
    expect(cidrWarnings('10.0.0.1/8', path)).toEqual([
      'ip: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ]);
  });
});

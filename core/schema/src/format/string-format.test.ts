import { describe, expect, it } from 'vitest';
import { hostName, parseQuery, parseRequestUri, portOf } from './go-url.ts';
import { cidrContains, formatIp, parseCidr, parseIp } from '@tektite/go';
import { isKnownFormat, stringFormat } from './string-format.ts';

describe('string formats', () => {
  it.each<[string, string[], string[]]>([
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['', '507f1f77bcf86cd79943901g']],
    ['byte', ['aGk=', 'aGkK'], ['', 'aGk', '!!', '====', 'a===']],
    ['cidr', ['10.0.0.0/8', '010.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33', '::/129', 'x/8']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112', '1']],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-13-01', '24-01-01', '2024-1-1']],
    [
      'date-time',
      ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00.5+02:00', '2024-01-01T00:00:00+99:99'],
      ['yesterday', '2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00'],
    ],
    ['duration', ['1h', '1h30m', '22 ns', '2 days', '3 weeks', '1d'], ['long', '', '5', '5 parsecs']],
    ['email', ['a@b.c', 'a@b', 'A B <a@b.c>', '"x y"@b', '<a@b>'], ['nope', '@b', 'a@', 'a..b@c', 'a@b c', '']],
    ['hexcolor', ['#fff', 'A0B1C2'], ['#ff', '#ggg']],
    [
      'hostname',
      ['a.example.com', 'a', '1a', 'a-b.example', 'münchen.de'],
      ['-bad-', 'a..b', 'a.b', 'a_b', '', `${'a'.repeat(64)}.com`],
    ],
    ['ipv4', ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], ['1.2.3', '1.2.3.256', '::1', '']],
    [
      'ipv6',
      ['::1', '::', '2001:db8::1', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'],
      ['zz', '1.2.3.4', ':::', '1::2::3', '1:2', 'fe80::1%eth0', '1:2:3:4:5:6:7::8:9'],
    ],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044', '1']],
    ['isbn10', ['0321751043', '080442957X'], ['978-0321751041']],
    ['isbn13', ['978-0321751041'], ['0321751043']],
    ['k8s-short-name', ['a-b', '1'], ['A', 'a.b', 'a-', 'a'.repeat(64)]],
    ['k8s-long-name', ['a.b', 'a'], ['A..b', 'a.', 'a'.repeat(254)]],
    [
      'mac',
      ['00:00:5e:00:53:01', '00-00-5e-00-53-01', '0000.5e00.5301', '02:00:5e:10:00:00:00:01'],
      ['x', '00:00:5e:00:53', '00:00-5e:00:53:01'],
    ],
    ['password', ['', 'anything'], []],
    ['rgbcolor', ['rgb(0,100, 255)'], ['rgb(0,0)', 'rgb(256,0,0)']],
    ['ssn', ['111-22-3333'], ['111223333', '111-22-333x']],
    [
      'uri',
      ['http://x/y', '/path', 'urn:isbn:1', 'http://[::1]:80/', 'http://x/a b'],
      ['not a uri', '', 'relative', 'http://a b/', '/%zz', ':x', 'http://x:port/'],
    ],
    ['uuid', ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6BA7B8109DAD11D180B400C04FD430C8'], ['x', '6ba7b810']],
    ['uuid4', ['6ba7b810-9dad-41d1-80b4-00c04fd430c8'], ['6ba7b810-9dad-11d1-80b4-00c04fd430c8']],
  ])('accept and reject values of %s', (name, good, bad) => {
    const check = stringFormat(name);
    for (const text of good) expect([text, check?.(text)]).toEqual([text, true]);
    for (const text of bad) expect([text, check?.(text)]).toEqual([text, false]);
  });

  it('means something only for its own type', () => {
    expect(isKnownFormat('string', 'date-time')).toBe(true);
    expect(isKnownFormat('integer', 'int32')).toBe(true);
    expect(isKnownFormat('integer', 'date')).toBe(false);
    expect(isKnownFormat('string', 'nosuchformat')).toBe(false);
    expect(isKnownFormat('object', 'date')).toBe(false);
  });

  it('does not hang on hostile strings', () => {
    const long = '1'.repeat(200_000);
    for (const name of ['duration', 'hostname', 'email', 'byte', 'uri', 'mac', 'isbn'])
      expect(stringFormat(name)?.(`${long}!`)).toBe(false);
  });
});

describe('addresses', () => {
  it.each([
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['1::', '1::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s prints as %s', (text, canonical) => {
    const address = parseIp(text);
    expect(address && formatIp(address)).toBe(canonical);
  });

  it('lie in a network or not', () => {
    const net = parseCidr('10.1.0.0/16');
    const at = (text: string) => parseIp(text) as NonNullable<ReturnType<typeof parseIp>>;
    expect(net && cidrContains(net, at('10.1.255.1'))).toBe(true);
    expect(net && cidrContains(net, at('10.2.0.1'))).toBe(false);
    expect(net && cidrContains(net, at('::1'))).toBe(false);
  });
});

describe('URLs', () => {
  it('are taken apart', () => {
    const url = parseRequestUri('https://user@[::1]:8443/a%20b/c?k1=a&k2=b&k1=c%20d&bad=%zz');
    if (typeof url === 'string') throw new Error(url);
    expect([url.scheme, url.host, hostName(url), portOf(url), url.escapedPath]).toEqual([
      'https',
      '[::1]:8443',
      '::1',
      '8443',
      '/a%20b/c',
    ]);
    expect([...parseQuery(url.rawQuery)]).toEqual([
      ['k1', ['a', 'c d']],
      ['k2', ['b']],
    ]);
  });

  it('have their path encoded when it was not', () => {
    const url = parseRequestUri('/a b/ü');
    expect(typeof url === 'string' ? url : url.escapedPath).toBe('/a%20b/%C3%BC');
  });
});

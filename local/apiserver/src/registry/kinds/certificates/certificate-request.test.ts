import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { requestViolation } from './certificate-request.ts';

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

/** A request without a subject, signed with a key made for it. */
function request(spoil = false): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const info = der(0x30, der(0x02, Buffer.from([0])), der(0x30), spki, der(0xa0));
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const signature = sign('sha256', spoil ? Buffer.from('other') : info, privateKey);
  const whole = der(0x30, info, algorithm, der(0x03, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('a certificate request', () => {
  it('is well signed', () => expect(requestViolation(request())).toBeUndefined());

  it('is badly signed', () => expect(requestViolation(request(true))).toBe('x509: ECDSA verification failure'));

  it.each([
    ['not PEM', 'PEM block type must be CERTIFICATE REQUEST'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'PEM block type must be CERTIFICATE REQUEST'],
    [
      '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n',
      'asn1: syntax error: data truncated',
    ],
  ])('cannot be read: %j', (pem, violation) => expect(requestViolation(pem)).toBe(violation));
});

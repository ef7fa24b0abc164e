import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { systemClock } from '@tektite/meta';
import { expect, it } from 'vitest';
import { createAuthority } from './certificates.ts';
import { signatureAlgorithm } from './pkcs10.ts';
import { readSigningRequest, signRequest } from './sign-request.ts';

const day = 24 * 60 * 60 * 1000;

async function request(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: signatureAlgorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'host-1' },
        { type: 'ip', value: '10.0.0.1' },
      ]),
    ],
  });
  return made.toString('pem');
}

it('reads who asks, and whether they have the key', async () => {
  const read = await readSigningRequest(await request('CN=system:node:host-1, O=system:nodes'));
  expect(read).toMatchObject({
    commonName: 'system:node:host-1',
    organizations: ['system:nodes'],
    dnsNames: ['host-1'],
    addresses: ['10.0.0.1'],
  });
  expect(await read.verify()).toBe(true);
  await expect(readSigningRequest('nonsense')).rejects.toThrow();
});

it('signs what is asked for, for the time that is given and no longer than the authority lasts', async () => {
  const authority = await createAuthority('test', systemClock);
  const sign = async (validForMs: number) =>
    new X509Certificate(
      await signRequest(authority, await request('CN=ada'), {
        clock: systemClock,
        usages: ['client auth'],
        validForMs,
      }),
    );
  const certificate = await sign(day);
  expect(certificate.subject).toBe('CN=ada');
  expect(certificate.subjectAltName).toBe('DNS:host-1, IP Address:10.0.0.1');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(certificate.ca).toBe(false);
  const issuer = new X509Certificate(authority.certificate);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  expect(Date.parse(certificate.validTo)).toBeLessThanOrEqual(systemClock.now() + day);
  expect((await sign(100 * 365 * day)).validTo).toBe(issuer.validTo);
});

it('refuses a subject that others would read differently', async () => {
  const pem = await request('CN=ada, O=system:masters');
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  // As a string of digits, which OpenSSL shows as any other text.
  bytes[bytes.indexOf('system:masters') - 2] = 0x12;
  const odd = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  await expect(readSigningRequest(odd)).rejects.toThrow('no text');
  const authority = await createAuthority('test', systemClock);
  const options = { clock: systemClock, usages: ['client auth'], validForMs: day };
  await expect(signRequest(authority, odd, options)).rejects.toThrow('no text');
  const double = await request('CN=byoh:host:mine, CN=byoh:host:yours');
  await expect(readSigningRequest(double)).rejects.toThrow('several common names');
  await expect(signRequest(authority, double, options)).rejects.toThrow('several common names');
});

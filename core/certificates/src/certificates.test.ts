import 'reflect-metadata';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { type Clock, systemClock } from '@tektite/meta';
import { expect, it } from 'vitest';
import { createAuthority, createKey, createSelfSigned, issueCertificate } from './certificates.ts';
import { signatureAlgorithm } from './pkcs10.ts';
import { createSigningRequest, signRequest } from './sign-request.ts';

const day = 24 * 60 * 60 * 1000;
const clockAt = (time: string): Clock => ({ ...systemClock, now: () => Date.parse(time) });
const clock = clockAt('2026-11-15T12:34:56.789Z');

/** The extensions of a certificate as another parser reads them, each encoded again. */
function extensionsOf(pem: string): Record<string, unknown> {
  const { extensions } = new x509.X509Certificate(pem);
  return Object.fromEntries(
    extensions.map((each) => [each.type, [each.critical, Buffer.from(each.value).toString('hex')]]),
  );
}

const entry = (extension: x509.Extension) => [
  extension.type,
  [extension.critical, Buffer.from(extension.value).toString('hex')],
];

it('makes an authority that may sign, for ten years from a day before', async () => {
  const authority = await createAuthority('tektite', clock);
  const read = new X509Certificate(authority.certificate);
  expect(read.subject).toBe('CN=tektite');
  expect(read.ca).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
  expect(read.validFrom).toBe('Nov 14 12:34:56 2026 GMT');
  expect(read.validTo).toBe('Nov 12 12:34:56 2036 GMT');
  const { publicKey } = new x509.X509Certificate(authority.certificate);
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  expect(extensionsOf(authority.certificate)).toEqual(
    Object.fromEntries([
      entry(new x509.BasicConstraintsExtension(true, undefined, true)),
      entry(new x509.KeyUsagesExtension(keyCertSign | cRLSign | digitalSignature, true)),
      entry(await x509.SubjectKeyIdentifierExtension.create(publicKey)),
    ]),
  );
});

it('certifies a server for its names and addresses, and a client for its groups', async () => {
  const authority = await createAuthority('tektite', clock);
  const issuer = new X509Certificate(authority.certificate);
  const hosts = ['127.0.0.1', '::1', '2001:db8::8:800:200c:417a', '::ffff:10.0.0.1', 'kubernetes.default.svc'];
  const server = await issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, clock);
  const own = new X509Certificate(server.certificate);
  expect(own.checkIssued(issuer) && own.verify(issuer.publicKey)).toBe(true);
  expect(own.ca).toBe(false);
  for (const address of hosts.slice(0, 4)) expect(own.checkIP(address)).toBe(address);
  expect(own.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
  expect(own.checkHost('elsewhere')).toBeUndefined();
  const read = new x509.X509Certificate(server.certificate);
  expect(extensionsOf(server.certificate)).toEqual(
    Object.fromEntries([
      entry(new x509.BasicConstraintsExtension(false, undefined, true)),
      entry(new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)),
      entry(new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])),
      entry(
        await x509.AuthorityKeyIdentifierExtension.create(new x509.X509Certificate(authority.certificate).publicKey),
      ),
      entry(read.getExtension(x509.SubjectAlternativeNameExtension) as x509.Extension),
    ]),
  );
  const organizations = ['system:masters', 'a, "b" + c=d'];
  const client = await issueCertificate(authority, { commonName: 'Zoë\\', organizations }, clock);
  const { subjectName } = new x509.X509Certificate(client.certificate);
  expect(subjectName.getField('O')).toEqual(organizations);
  expect(subjectName.getField('CN')).toEqual(['Zoë\\']);
  expect(new X509Certificate(client.certificate).keyUsage).toEqual([x509.ExtendedKeyUsage.clientAuth]);
});

it('encodes times after 2049 with four digits', async () => {
  const { certificate } = await createAuthority('later', clockAt('2045-06-01T00:00:00Z'));
  expect(new X509Certificate(certificate).validTo).toBe('May 30 00:00:00 2055 GMT');
});

it('names an issuer with the exact bytes of its name', async () => {
  const key = await createKey();
  const { privateKey, publicKey } = await keysOf(key);
  // Of several parts, in encodings that are not ours.
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'C=DE, O=Acme\\, Inc., CN=root',
    keys: { privateKey, publicKey },
    signingAlgorithm: signatureAlgorithm,
    notBefore: new Date(clock.now() - day),
    notAfter: new Date(clock.now() + day),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const authority = { certificate: made.toString('pem'), key };
  const issued = await issueCertificate(authority, { commonName: 'x', hosts: ['x'] }, clock);
  const request = await createSigningRequest(await createKey(), { commonName: 'y' });
  const signed = await signRequest(authority, request, { clock, usages: ['client auth'], validForMs: day });
  const subject = Buffer.from(made.subjectName.toArrayBuffer());
  for (const pem of [issued.certificate, signed])
    expect(Buffer.from(new x509.X509Certificate(pem).issuerName.toArrayBuffer()).equals(subject)).toBe(true);
});

it('serves TLS to clients that trust the authority, or the certificate itself', async () => {
  const authority = await createAuthority('tektite', systemClock);
  const issued = await issueCertificate(authority, { commonName: 's', hosts: ['127.0.0.1'] }, systemClock);
  const self = await createSelfSigned({ commonName: 's', hosts: ['127.0.0.1'] }, systemClock);
  for (const [{ certificate, key }, ca] of [
    [issued, authority.certificate],
    [self, self.certificate],
  ] as const) {
    const server = createServer({ cert: certificate, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
    server.close();
  }
});

it('does not sign with a key of another type, or without a key', async () => {
  const { certificate } = await createAuthority('tektite', clock);
  for (const key of ['nonsense', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'])
    await expect(issueCertificate({ certificate, key }, { commonName: 'x' }, clock)).rejects.toThrow();
  await expect(
    issueCertificate({ certificate: 'nonsense', key: await createKey() }, { commonName: 'x' }, clock),
  ).rejects.toThrow();
});

async function keysOf(pem: string) {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const privateKey = await crypto.subtle.importKey('pkcs8', der, signatureAlgorithm, true, ['sign']);
  const { d: _, ...jwk } = await crypto.subtle.exportKey('jwk', privateKey);
  const publicKey = await crypto.subtle.importKey('jwk', { ...jwk, key_ops: ['verify'] }, signatureAlgorithm, true, [
    'verify',
  ]);
  return { privateKey, publicKey };
}

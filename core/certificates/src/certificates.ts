import 'reflect-metadata';
import { createPublicKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Clock } from '@tektite/meta';

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** How everything here is signed. */
export const signatureAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 24 * 60 * 60 * 1000;

x509.cryptoProvider.set(webcrypto);

/** For whoever renews: less than the usual. */
export interface ValidityOptions {
  /** How long it is valid, from now. */
  readonly validForMs?: number;
}

/** A new certificate authority. Valid for ten years unless told otherwise. */
export async function createAuthority(
  commonName: string,
  clock: Clock,
  { validForMs = 3650 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    keys: keys,
    signingAlgorithm: signatureAlgorithm,
    ...validity(clock, validForMs),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** A server's certificate that nobody but itself vouches for. Valid for 825 days unless told otherwise. */
export async function createSelfSigned(
  { commonName, hosts = [] }: Pick<CertificateRequest, 'commonName' | 'hosts'>,
  clock: Clock,
  { validForMs = 825 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: new x509.Name([{ CN: [{ utf8String: commonName }] }]),
    keys,
    signingAlgorithm: signatureAlgorithm,
    ...validity(clock, validForMs),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      alternativeNames(hosts),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

function alternativeNames(hosts: readonly string[]): x509.SubjectAlternativeNameExtension {
  return new x509.SubjectAlternativeNameExtension(
    hosts.map((value) => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value })),
  );
}

/** Who a certificate is for. */
export interface CertificateRequest {
  readonly commonName: string;
  /** Groups of a client. */
  readonly organizations?: readonly string[];
  /** Addresses of a server. Without any it is a client's certificate. */
  readonly hosts?: readonly string[];
}

/** A certificate signed by the authority. Valid for 825 days unless told otherwise. */
export async function issueCertificate(
  authority: KeyPair,
  request: CertificateRequest,
  clock: Clock,
  { validForMs = 825 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await importSigningKey(authority.key);
  const keys = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  const server = request.hosts !== undefined;
  const extensions: x509.Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([server ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth]),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  if (request.hosts) {
    extensions.push(alternativeNames(request.hosts));
  }
  const certificate = await x509.X509CertificateGenerator.create({
    subject: subjectName(request),
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: signatureAlgorithm,
    ...validity(clock, validForMs),
    extensions,
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** As typed data: quotes and other signs in a plain text would be understood as notation. */
export function subjectName({ commonName, organizations = [] }: CertificateRequest): x509.Name {
  return new x509.Name([
    ...organizations.map((utf8String) => ({ O: [{ utf8String }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

function validity(clock: Clock, validForMs: number): { notBefore: Date; notAfter: Date } {
  const now = clock.now();
  return { notBefore: new Date(now - day), notAfter: new Date(now + validForMs) };
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':');
}

/** A new private key (PKCS #8, PEM). */
export async function createKey(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(signatureAlgorithm, true, ['sign', 'verify']);
  return exportKey(privateKey);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${(der.match(/.{1,64}/g) ?? []).join('\n')}\n-----END PRIVATE KEY-----\n`;
}

/** The key of an authority, to sign with. */
export async function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return await webcrypto.subtle.importKey('pkcs8', der, signatureAlgorithm, true, ['sign']);
}

/** The public half of a private key. */
export async function importPublicKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return await webcrypto.subtle.importKey('spki', der, signatureAlgorithm, true, ['verify']);
}

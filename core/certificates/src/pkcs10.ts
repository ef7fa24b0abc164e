import 'reflect-metadata';
import { createPublicKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { CertificateRequest, KeyPair } from './certificates.ts';
import type { SigningOptions, SigningRequest } from './signing-request.ts';

/** How everything here is signed. */
export const signatureAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

x509.cryptoProvider.set(webcrypto);

/** Reads a request (PKCS #10, PEM). Throws an Error that says what is wrong with it. */
export function readSigningRequest(pem: string): SigningRequest {
  const request = parseRequest(pem);
  const names = namesOf(request)?.names.items ?? [];
  const ofType = (type: string) => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName: request.subjectName.getField('CN')[0] ?? '',
    organizations: request.subjectName.getField('O'),
    dnsNames: ofType('dns'),
    addresses: ofType('ip'),
    verify: () => request.verify(webcrypto as never),
  };
}

/** Asks for a certificate for the key (PKCS #8, PEM): a PKCS #10 request, PEM. */
export async function createSigningRequest(
  key: string,
  subject: Pick<CertificateRequest, 'commonName' | 'organizations'>,
): Promise<string> {
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subjectName(subject),
    keys: { privateKey: await importSigningKey(key), publicKey: await importPublicKey(key) },
    signingAlgorithm: signatureAlgorithm,
  });
  return `${request.toString('pem')}\n`;
}

/** Whether a request is about this key. */
export async function isRequestFor(pem: string, key: string): Promise<boolean> {
  const request = new x509.Pkcs10CertificateRequest(pem);
  const own = await webcrypto.subtle.exportKey('spki', await importPublicKey(key));
  return Buffer.from(own).equals(Buffer.from(request.publicKey.rawData));
}

/**
 * The types of text that all parsers read in the same way: UTF-8, printable, teletex, IA5 and BMP strings. The library
 * shows others as their bytes, while OpenSSL reads some of them as text: a client could request one name and be
 * identified by another.
 */
const textTypes = new Set([0x0c, 0x13, 0x14, 0x16, 0x1e]);

function parseRequest(pem: string): x509.Pkcs10CertificateRequest {
  const request = new x509.Pkcs10CertificateRequest(pem);
  // A name is a sequence of sets of attributes, each an identifier and a value.
  for (const [, set] of derItems(new Uint8Array(request.subjectName.toArrayBuffer()), 2))
    for (const [, attribute] of derItems(set)) {
      const value = [...derItems(attribute)][1];
      if (!value || !textTypes.has(value[0])) throw new Error('the subject has a value that is no text');
    }
  // Some take the first of them for the name, some the last.
  if (request.subjectName.getField('CN').length > 1) throw new Error('the subject has several common names');
  return request;
}

/** The values inside of one that holds others, as type and content; those that are so many levels down, where more is asked for. */
function* derItems(bytes: Uint8Array, depth = 1): Generator<[number, Uint8Array]> {
  for (let at = 0; at < bytes.length; ) {
    const [type = 0, short = 0] = bytes.subarray(at, at + 2);
    const long = short > 0x7f ? short & 0x7f : 0;
    const length =
      long === 0 ? short : bytes.subarray(at + 2, at + 2 + long).reduce((all, byte) => all * 256 + byte, 0);
    const content = bytes.subarray(at + 2 + long, at + 2 + long + length);
    at += 2 + long + length;
    if (depth > 1) yield* derItems(content, depth - 1);
    else yield [type, content];
  }
}

function namesOf(request: x509.Pkcs10CertificateRequest): x509.SubjectAlternativeNameExtension | undefined {
  return request.extensions.find((each) => each instanceof x509.SubjectAlternativeNameExtension);
}

const extendedUsages: Readonly<Record<string, string>> = {
  'client auth': x509.ExtendedKeyUsage.clientAuth,
  'server auth': x509.ExtendedKeyUsage.serverAuth,
};

const keyUsages: Readonly<Record<string, x509.KeyUsageFlags>> = {
  'digital signature': x509.KeyUsageFlags.digitalSignature,
  'key encipherment': x509.KeyUsageFlags.keyEncipherment,
  'key agreement': x509.KeyUsageFlags.keyAgreement,
};

/**
 * The certificate that a request asks for, PEM, signed by the authority: its subject, names and key are the request's, all
 * else is decided here. It never outlives the authority.
 */
export async function signRequest(authority: KeyPair, pem: string, options: SigningOptions): Promise<string> {
  const request = parseRequest(pem);
  const issuer = new x509.X509Certificate(authority.certificate);
  const names = namesOf(request);
  const now = options.clock.now();
  const keyUsage = options.usages.reduce<x509.KeyUsageFlags>(
    (all, usage) => all | (keyUsages[usage] ?? all),
    x509.KeyUsageFlags.digitalSignature,
  );
  const extended = options.usages.flatMap((usage) => extendedUsages[usage] ?? []);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: request.subjectName,
    issuer: issuer.subjectName,
    publicKey: request.publicKey,
    signingKey: await importSigningKey(authority.key),
    signingAlgorithm: signatureAlgorithm,
    notBefore: new Date(now - 5 * 60_000),
    notAfter: new Date(Math.min(now + options.validForMs, issuer.notAfter.getTime())),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(keyUsage, true),
      ...(extended.length > 0 ? [new x509.ExtendedKeyUsageExtension(extended)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names ? [names] : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** As typed data: quotes and other signs in a plain text would be understood as notation. */
function subjectName({ commonName, organizations = [] }: CertificateRequest): x509.Name {
  return new x509.Name([
    ...organizations.map((utf8String) => ({ O: [{ utf8String }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

/** The key of an authority, to sign with. */
async function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return await webcrypto.subtle.importKey('pkcs8', der, signatureAlgorithm, true, ['sign']);
}

/** The public half of a private key. */
async function importPublicKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return await webcrypto.subtle.importKey('spki', der, signatureAlgorithm, true, ['verify']);
}

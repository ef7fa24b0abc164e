import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Clock } from '@tektite/meta';
import {
  type CertificateRequest,
  importPublicKey,
  importSigningKey,
  type KeyPair,
  signatureAlgorithm,
  subjectName,
} from './certificates.ts';

/** What somebody asks to have certified. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** Whether it is signed with the key it is about: who sends it has that key. */
  verify(): Promise<boolean>;
}

/** Reads a request (PKCS #10, PEM). Throws an Error that says what is wrong with it. */
export function readSigningRequest(pem: string): SigningRequest {
  const request = new x509.Pkcs10CertificateRequest(pem);
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

function namesOf(request: x509.Pkcs10CertificateRequest): x509.SubjectAlternativeNameExtension | undefined {
  return request.extensions.find((each) => each instanceof x509.SubjectAlternativeNameExtension);
}

export interface SigningOptions {
  readonly clock: Clock;
  /** `client auth`, `server auth`, as CertificateSigningRequests name them; others are left out. */
  readonly usages: readonly string[];
  readonly validForMs: number;
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
  const request = new x509.Pkcs10CertificateRequest(pem);
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
    issuer: issuer.subject,
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

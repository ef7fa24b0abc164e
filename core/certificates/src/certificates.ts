import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '@tektite/meta';
import { bits, explicit, integer, itemsOf, objectId, sequence, set, time, utf8 } from './der.ts';
import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  keyUsage,
  subjectKeyId,
} from './extensions.ts';

// Certificates are written here rather than with the library that reads requests (pkcs10.ts): loading that takes longer than all
// else that a server does before it serves, and what is written is always the same few things.

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const day = 24 * 60 * 60 * 1000;

/** A shorter validity, for renewals. */
export interface ValidityOptions {
  /** How long it is valid, from now. */
  readonly validForMs?: number;
}

/** A new certificate authority. Valid for ten years by default. */
export async function createAuthority(
  commonName: string,
  clock: Clock,
  { validForMs = 3650 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  return vouchForItself(commonName, validity(clock, validForMs), ({ publicKey }) => [
    basicConstraints(true),
    keyUsage('digitalSignature', 'keyCertSign', 'cRLSign'),
    subjectKeyId(publicKey),
  ]);
}

/** A self-signed certificate of a server. Valid for 825 days by default. */
export async function createSelfSigned(
  { commonName, hosts = [] }: Pick<CertificateRequest, 'commonName' | 'hosts'>,
  clock: Clock,
  { validForMs = 825 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  return vouchForItself(commonName, validity(clock, validForMs), () => [
    keyUsage('digitalSignature', 'keyEncipherment'),
    extendedKeyUsage('server'),
    alternativeNames(hosts),
  ]);
}

/** A certificate whose issuer is its own subject. */
async function vouchForItself(
  commonName: string,
  times: Statement['validity'],
  extensionsOf: (keys: NewKeys) => Statement['extensions'],
): Promise<KeyPair> {
  const keys = await newKeys();
  const subject = nameOf({ commonName });
  const issuer = { name: subject, key: keys.privateKey };
  return keyPair(keys, { issuer, subject, validity: times, extensions: extensionsOf(keys) });
}

/** Who a certificate is for. */
export interface CertificateRequest {
  readonly commonName: string;
  /** Groups of a client. */
  readonly organizations?: readonly string[];
  /** Addresses of a server. Without any it is a client's certificate. */
  readonly hosts?: readonly string[];
}

/** A certificate signed by the authority. Valid for 825 days by default. */
export async function issueCertificate(
  authority: KeyPair,
  request: CertificateRequest,
  clock: Clock,
  { validForMs = 825 * day }: ValidityOptions = {},
): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const key = readSigningKey(authority.key);
  const { hosts } = request;
  return keyPair(await newKeys(), {
    issuer: { name: subjectOf(issuer), key },
    subject: nameOf(request),
    validity: validity(clock, validForMs),
    extensions: [
      basicConstraints(false),
      keyUsage('digitalSignature'),
      extendedKeyUsage(hosts ? 'server' : 'client'),
      authorityKeyId(encodeKey(issuer.publicKey)),
      ...(hosts ? [alternativeNames(hosts)] : []),
    ],
  });
}

/** A new private key (PKCS #8, PEM). */
export async function createKey(): Promise<string> {
  return (await newKeys()).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

interface NewKeys {
  readonly privateKey: KeyObject;
  /** As in certificates (SubjectPublicKeyInfo). */
  readonly publicKey: Buffer;
}

const curve = 'prime256v1';

async function newKeys(): Promise<NewKeys> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: curve });
  return { privateKey, publicKey: encodeKey(createPublicKey(privateKey)) };
}

function encodeKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve === curve) return key;
  throw new Error('the key of an authority has to be an ECDSA key on P-256');
}

/** The subject of a certificate. Names are encoded. */
interface Statement {
  readonly issuer: { readonly name: Buffer; readonly key: KeyObject };
  readonly subject: Buffer;
  readonly validity: Buffer;
  readonly extensions: readonly Buffer[];
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const version3 = explicit(0, integer(Buffer.of(2)));

function keyPair(keys: NewKeys, { issuer, subject, validity: times, extensions }: Statement): KeyPair {
  const statement = sequence(
    version3,
    integer(serialNumber()),
    ecdsaWithSha256,
    issuer.name,
    times,
    subject,
    keys.publicKey,
    explicit(3, sequence(...extensions)),
  );
  const signature = sign('sha256', statement, issuer.key);
  return {
    certificate: pemOf(sequence(statement, ecdsaWithSha256, bits(signature))),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Random, so that the signed content cannot be predicted. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

const organizationName = objectId('2.5.4.10');
const commonNameType = objectId('2.5.4.3');

function nameOf({ commonName, organizations = [] }: CertificateRequest): Buffer {
  const part = (type: Buffer, text: string) => set(sequence(type, utf8(text)));
  return sequence(
    ...organizations.map((organization) => part(organizationName, organization)),
    part(commonNameType, commonName),
  );
}

/** The subject of a certificate in its encoded form: issuers are compared by their bytes. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [statement = Buffer.alloc(0)] = itemsOf(certificate.raw);
  const fields = itemsOf(statement);
  // Certificates of version 1 do not contain their version.
  const subject = fields[fields[0]?.[0] === 0xa0 ? 5 : 4];
  if (!subject) throw new Error('the certificate of the authority has no subject');
  return subject;
}

function validity(clock: Clock, validForMs: number): Buffer {
  const now = clock.now();
  return sequence(time(now - day), time(now + validForMs));
}

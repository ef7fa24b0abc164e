import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isCosignKey, readCosignKey } from '@tektite/certificates';

/** A private key that signs payloads, and how verifiers know it. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  /** `SHA256:…`: the fingerprint as ssh prints it, which envelopes carry. */
  readonly keyId: string;
}

/** The keys of the Secret `signing-secrets`, decoded. */
export type SigningSecret = Readonly<Record<string, string>>;

/** The key of the Secret: `x509.pem`, or else `cosign.key` with `cosign.password`. Throws where there is none that can be used. */
export function readSigningKey(secret: SigningSecret): SigningKey {
  const [x509, cosign] = [secret['x509.pem'], secret['cosign.key']];
  if (x509 !== undefined) return signingKey(readX509Key(x509));
  if (cosign === undefined) throw new Error('no valid private key found, looked for: [x509.pem, cosign.key]');
  const password = secret['cosign.password'];
  if (password === undefined) throw new Error('reading cosign.password file: there is no such key in the Secret');
  if (!isCosignKey(cosign)) throw new Error('cosign.key is no private key of cosign');
  return signingKey(readCosignKey(cosign, password));
}

function readX509Key(pem: string): KeyObject {
  const type = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem)?.[1];
  if (type === undefined) throw new Error('failed to decode PEM block from x509 private key');
  if (type !== 'PRIVATE KEY') throw new Error(`expected private key, found object of type ${type}`);
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ec')
    throw new Error(`unsupported private key type ${key.asymmetricKeyType}, only ECDSA keys are supported`);
  return key;
}

export function signingKey(privateKey: KeyObject): SigningKey {
  return { privateKey, keyId: keyIdOf(createPublicKey(privateKey)) };
}

/** Signs with SHA-256; Ed25519 has its hash built in. */
export function signBytes(data: Uint8Array, { privateKey }: SigningKey): Buffer {
  return sign(hashFor(privateKey), data, privateKey);
}

export function isSignedBy(data: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean {
  return verify(hashFor(publicKey), data, publicKey, signature);
}

function hashFor({ asymmetricKeyType }: KeyObject): 'sha256' | null {
  return asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

const curves: Readonly<Record<string, string>> = { 'P-256': 'nistp256', 'P-384': 'nistp384', 'P-521': 'nistp521' };

/** The fingerprint of a public key in the encoding of ssh. */
export function keyIdOf(publicKey: KeyObject): string {
  const { kty, crv = '', x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const parts =
    kty === 'EC'
      ? [`ecdsa-sha2-${curves[crv]}`, curves[crv] ?? '', Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)])]
      : kty === 'OKP'
        ? ['ssh-ed25519', bytes(x)]
        : ['ssh-rsa', unsigned(bytes(e)), unsigned(bytes(n))];
  const encoded = Buffer.concat(parts.map(withLength));
  return `SHA256:${createHash('sha256').update(encoded).digest('base64').replace(/=+$/, '')}`;
}

/** A number whose first bit is set gets a zero before it. */
function unsigned(number: Buffer): Buffer {
  return (number[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), number]) : number;
}

function withLength(part: string | Buffer): Buffer {
  const content = Buffer.from(part as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

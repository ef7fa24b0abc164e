import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isCosignKey, readCosignKey } from '@tektite/certificates';
import { defineErrors, type KubeObject } from '@tektite/meta';
import { checksumOf, signatureAnnotation } from './checksum.ts';
import { hashAlgorithms } from '../kinds/hash-algorithms.ts';

export interface SignOptions {
  /** Of a private key that is encrypted. */
  readonly passphrase?: string;
  /** `sha256` (the default), `sha224`, `sha384` or `sha512`. */
  readonly hashAlgorithm?: string;
}

export const signatureErrors = defineErrors('pipelines', 'SignatureError', {
  SIGNATURE_FAILED: {
    when: 'an object cannot be signed, or a key cannot be used',
    fix: 'use a key of a supported type, with its passphrase',
  },
});

/** Why something cannot be signed, or a key not be used. */
export class SignatureError extends signatureErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('SIGNATURE_FAILED', message, options);
  }
}

/** Whether `error` is a SignatureError. */
export function isSignatureError(error: unknown): error is SignatureError {
  return signatureErrors.is(error);
}

/**
 * The object with a signature of it among its annotations, as upstream's controller and `tkn` make and check it. An older signature
 * is replaced.
 *
 * @example
 * const signed = signObject(task, readFileSync('key.pem', 'utf8'));
 * verifyObject(signed, readFileSync('key.pub', 'utf8')); // true
 */
export function signObject<T extends KubeObject>(object: T, privateKey: string, options: SignOptions = {}): T {
  const key = readPrivateKey(privateKey, options.passphrase);
  const signature = sign(hashFor(key, options.hashAlgorithm), checksumOf(object), key).toString('base64');
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [signatureAnnotation]: signature } },
  };
}

/** Whether an object has the signature of the owner of a key. */
export function verifyObject(
  object: KubeObject,
  publicKey: string,
  options: Pick<SignOptions, 'hashAlgorithm'> = {},
): boolean {
  const signature = object.metadata.annotations?.[signatureAnnotation];
  if (signature === undefined) return false;
  return verifyChecksum(
    checksumOf(object),
    Buffer.from(signature, 'base64'),
    readPublicKey(publicKey),
    options.hashAlgorithm,
  );
}

/** Whether a checksum has a signature. */
export function verifyChecksum(
  checksum: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
  hashAlgorithm?: string,
): boolean {
  try {
    return verify(hashFor(key, hashAlgorithm), checksum, key, signature);
  } catch {
    // A signature that is none, such as an empty one.
    return false;
  }
}

/** Keys on Edwards' curves include the hash. */
function hashFor({ asymmetricKeyType }: KeyObject, algorithm = ''): string | null {
  if (asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'ed448') return null;
  const hash = hashAlgorithms.get(algorithm.toLowerCase());
  if (hash === undefined) throw new SignatureError(`unknown digest algorithm: ${algorithm}`);
  return hash;
}

/** A public key in PEM. A private one is rejected: it should not have been shared. */
export function readPublicKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY')) throw new SignatureError('key cannot be decoded: it is a private key');
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new SignatureError('key cannot be decoded: PEM decoding failed', { cause });
  }
}

function readPrivateKey(pem: string, passphrase: string | undefined): KeyObject {
  try {
    if (isCosignKey(pem)) return readCosignKey(pem, passphrase ?? '');
    return createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (cause) {
    throw new SignatureError(`the private key cannot be read: ${(cause as Error).message}`, { cause });
  }
}

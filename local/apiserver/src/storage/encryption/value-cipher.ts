import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A named key of AES-GCM: 16, 24 or 32 bytes. */
export interface EncryptionKey {
  readonly name: string;
  readonly secret: Buffer;
}

const nonceLength = 12;
const tagLength = 16;
const marker = 'k8s:enc:aesgcm:v1:';

/** The name of the key that a sealed text needs; `undefined` when the text is not sealed. */
export function keyNameOf(sealed: string): string | undefined {
  if (!sealed.startsWith(marker)) return undefined;
  return sealed.slice(marker.length, sealed.indexOf(':', marker.length));
}

/**
 * Seals a text with AES-GCM, in upstream's form: a marker, the name of the key, then nonce, ciphertext and tag; here as
 * base64. `place` is bound to it: a sealed value that is moved to another key of the storage does not open.
 */
export function seal({ name, secret }: EncryptionKey, text: string, place: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm(secret), secret, nonce, { authTagLength: tagLength });
  cipher.setAAD(Buffer.from(place));
  const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${marker}${name}:${bytes.toString('base64')}`;
}

/** Opens a sealed text. Throws when the key is another one, or the text was changed or moved. */
export function unseal({ name, secret }: EncryptionKey, sealed: string, place: string): string {
  const bytes = Buffer.from(sealed.slice(marker.length + name.length + 1), 'base64');
  const nonce = bytes.subarray(0, nonceLength);
  const decipher = createDecipheriv(algorithm(secret), secret, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagLength));
  const body = bytes.subarray(nonceLength, bytes.length - tagLength);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

function algorithm({ length }: Buffer): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (length === 16) return 'aes-128-gcm';
  return length === 24 ? 'aes-192-gcm' : 'aes-256-gcm';
}

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, scryptSync } from 'node:crypto';
import { openSecretBox, sealSecretBox } from './secret-box.ts';

const form = /-----BEGIN ENCRYPTED (?:SIGSTORE|COSIGN) PRIVATE KEY-----([\s\S]*?)-----END/;

/** Whether a text is a private key as `cosign generate-key-pair` writes it. */
export function isCosignKey(pem: string): boolean {
  return form.test(pem);
}

interface SealedKey {
  readonly kdf: {
    readonly name: string;
    readonly params: { readonly N: number; readonly r: number; readonly p: number };
    readonly salt: string;
  };
  readonly cipher: { readonly name: string; readonly nonce: string };
  readonly ciphertext: string;
}

/** More than any tool asks for. A larger value in the file is rejected. */
const maxMemory = 256 * 1024 * 1024;

/** The key in it. Throws an error that says what is wrong. */
export function readCosignKey(pem: string, passphrase: string): KeyObject {
  const text = Buffer.from(form.exec(pem)?.[1] ?? '', 'base64').toString('utf8');
  const { kdf, cipher, ciphertext } = JSON.parse(text) as SealedKey;
  if (kdf.name !== 'scrypt' || cipher.name !== 'nacl/secretbox')
    throw new Error(`it is encrypted in an unknown way: ${kdf.name}, ${cipher.name}`);
  const { N, r, p } = kdf.params;
  const key = scryptSync(passphrase, Buffer.from(kdf.salt, 'base64'), 32, { N, r, p, maxmem: maxMemory });
  const opened = openSecretBox(Buffer.from(ciphertext, 'base64'), Buffer.from(cipher.nonce, 'base64'), key);
  if (!opened) throw new Error('the passphrase is not the right one');
  return createPrivateKey({ key: opened, format: 'der', type: 'pkcs8' });
}

/** The scrypt parameters of `cosign generate-key-pair`. */
const strength = { N: 65_536, r: 8, p: 1 };

/** A new pair of keys as `cosign generate-key-pair` writes them, the private one closed with the passphrase. */
export function createCosignKeys(passphrase: string): { readonly privateKey: string; readonly publicKey: string } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [salt, nonce] = [randomBytes(32), randomBytes(24)];
  const key = scryptSync(passphrase, salt, 32, { ...strength, maxmem: maxMemory });
  const sealed: SealedKey = {
    kdf: { name: 'scrypt', params: strength, salt: salt.toString('base64') },
    cipher: { name: 'nacl/secretbox', nonce: nonce.toString('base64') },
    ciphertext: sealSecretBox(pair.privateKey.export({ format: 'der', type: 'pkcs8' }), nonce, key).toString('base64'),
  };
  const name = 'ENCRYPTED SIGSTORE PRIVATE KEY';
  const lines =
    Buffer.from(JSON.stringify(sealed))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    privateKey: `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----\n`,
    publicKey: String(pair.publicKey.export({ format: 'pem', type: 'spki' })),
  };
}

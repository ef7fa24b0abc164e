import { randomBytes } from 'node:crypto';
import { createCosignKeys } from '@tektite/certificates';

const encode = (text: string) => Buffer.from(text).toString('base64');

type SigningKeys = Readonly<Record<string, string>>;

/** Keys that were made for an owner, and perhaps not written yet: it takes a while to make them. */
const made = new Map<string, SigningKeys>();

/** Keys for Chains to sign with, as its Secret has them. The same for the same owner, as long as this process runs. */
export function signingKeys(uid: string): SigningKeys {
  const known = made.get(uid);
  if (known) return known;
  const keys = createKeys();
  made.set(uid, keys);
  return keys;
}

function createKeys(): SigningKeys {
  const password = randomBytes(16).toString('base64');
  const { privateKey, publicKey } = createCosignKeys(password);
  return {
    'cosign.key': encode(privateKey),
    'cosign.pub': encode(publicKey),
    'cosign.password': encode(password),
  };
}

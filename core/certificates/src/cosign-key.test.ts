import { createPublicKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCosignKeys, isCosignKey, readCosignKey } from './cosign-key.ts';

it('new keys are opened with their passphrase and with no other', () => {
  const { privateKey, publicKey } = createCosignKeys('secret');
  expect(isCosignKey(privateKey)).toBe(true);
  const opened = createPublicKey(readCosignKey(privateKey, 'secret'));
  expect(opened.export({ format: 'pem', type: 'spki' })).toBe(publicKey);
  expect(() => readCosignKey(privateKey, 'other')).toThrow('the passphrase is not the right one');
});

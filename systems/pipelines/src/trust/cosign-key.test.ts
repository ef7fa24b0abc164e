import type { KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { signObject, verifyObject } from './sign-object.ts';

/** Made for this test, in cosign's form, with the passphrase `secret`. */
const privateKey = `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----
eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjoxNjM4NCwiciI6
OCwicCI6MX0sInNhbHQiOiIwU3BaeFIrSmthaDhNTm8rR0Q1byswSm9mRmdpYUJK
Kyt4cWY3R3lkaEZFPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94
Iiwibm9uY2UiOiJkanlYRG5aWU1MUGdyMXZQTXBmVitsUXNJN01Pc1FuQSJ9LCJj
aXBoZXJ0ZXh0IjoiM3dqeWwwRXBVSVMvVDNhbDA2SWdsQTJKQ0c1bmRZa3B1VkJx
QmdMblRIR0R4MzVUYzBudmpnNjB3NlMwSm4wcXIwbC82REY4UW1OSVVTQldNekJn
TkVJbEpjMTBJQnJxWkxkNW1qUUxjWU9WTVBtbkVtaU1JR1pUVmg3UklHcTFMVGJV
VTQ1bnhWOEpCTnRzaVNDR3FONzZlVit2bkZQVU1jaW5kM3BoLzZEeWVoVSt6Y2s3
OEJXYWxDdzNyMjdTL0djOVIrWUx1UDl0NlE9PSJ9
-----END ENCRYPTED SIGSTORE PRIVATE KEY-----
`;
const publicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8l9ZMN+ll3CX6sqSWI4CFECUZeYW
UjAgS6DgZUi3eO9rlVXE3aHE/qWp0eOjRbX0F69zf3hWylPIvgqXxzb+kA==
-----END PUBLIC KEY-----
`;
const task = { apiVersion: 'tekton.dev/v1', kind: 'Task', metadata: { name: 't' }, spec: {} } as KubeObject;

it('a key that cosign encrypted signs', () => {
  expect(verifyObject(signObject(task, privateKey, { passphrase: 'secret' }), publicKey)).toBe(true);
});

it.each([
  ['without its passphrase', privateKey, 'the passphrase is not the right one'],
  ['that is cut off', privateKey.slice(0, 200), 'the private key cannot be read'],
])('a key %s does not', (_title, key, message) => {
  expect(() => signObject(task, key)).toThrow(message);
});

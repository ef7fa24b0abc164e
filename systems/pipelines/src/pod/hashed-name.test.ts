import { expect, it } from 'vitest';
import { hashedName, hashedNames } from './hashed-name.ts';

it.each([
  ['ws', 'custom', 5, 'ws-20573'],
  ['ws', 'source', 5, 'ws-1bcf2'],
  ['tekton-creds', 'my-secret', 8, 'tekton-creds-b6f4d46a'],
])('%s of %s is known to users', (prefix, text, digits, name) => {
  expect(hashedName(prefix, text, digits)).toBe(name);
});

it('gives different texts different names', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `workspace-${i}`);
  expect(new Set(hashedNames('ws', texts, 5).values()).size).toBe(3000);
});

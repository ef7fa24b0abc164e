import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dirHash } from './dir-hash.ts';
import { canonicalHash, sha256Hex } from './canonical-hash.ts';

describe('hashes', () => {
  it('of some paths take what is not there as an empty mapping', () => {
    const deployment = { spec: { replicas: 2 }, metadata: { name: 'a' } };
    const hash = canonicalHash(deployment, { paths: ['spec.replicas', 'spec.none'] });
    expect(hash).toBe(sha256Hex('{"spec.none":{},"spec.replicas":2}'));
    expect(canonicalHash({ ...deployment, status: {} }, { paths: ['spec.replicas', 'spec.none'] })).toBe(hash);
  });

  it('of folders are those of Go modules', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tektite-hash-'));
    try {
      mkdirSync(join(folder, 'sub'));
      writeFileSync(join(folder, 'sub/b'), 'b');
      writeFileSync(join(folder, 'a'), 'a');
      const lines = `${sha256Hex('a')}  p@v1/a\n${sha256Hex('b')}  p@v1/sub/b\n`;
      const expected = `h1:${Buffer.from(sha256Hex(lines), 'hex').toString('base64')}`;
      expect(await dirHash(folder, 'p@v1')).toBe(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

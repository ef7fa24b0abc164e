import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dirHash } from './dir-hash.ts';
import { canonicalHash, goJson, sha256Hex } from './go-json.ts';

describe('goJson', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    ['<a & b>', '"\\u003ca \\u0026 b\\u003e"'],
    ['\u2028', '"\\u2028"'],
    ['\u0001\n', '"\\u0001\\n"'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [1.5e-7, '1.5e-7'],
    [0.000001, '0.000001'],
    [3.14, '3.14'],
    [-0, '-0'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    // By bytes of UTF-8, not by UTF-16 units.
    [{ '\u{1f600}': 1, '\uffee': 2 }, '{"\uffee":2,"\u{1f600}":1}'],
    ['\ud800', '"\ufffd"'],
  ])('prints %j as Go does', (value, expected) => {
    expect(goJson(value)).toBe(expected);
  });
});

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

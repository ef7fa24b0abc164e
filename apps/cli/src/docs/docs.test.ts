import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { followPage } from './test-support.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) console.warn('pages of the documentation: kubectl is not on PATH; they are not followed');

/** Everything a reader is told to write or type works, and prints what the page says. */
describe.skipIf(!hasKubectl)('a page', () => {
  it.each([
    ['docs/write-an-operator.md', 8, 20],
    ['examples/memcached-operator/README.md', 1, 8],
  ])('can be followed to its end: %s', { timeout: 120_000 }, async (page, files, commands) => {
    const done = await followPage(page);
    expect(done.files).toBeGreaterThanOrEqual(files);
    expect(done.commands).toBeGreaterThanOrEqual(commands);
  });
});

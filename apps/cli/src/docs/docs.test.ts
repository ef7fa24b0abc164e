import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { followPage } from './test-support.ts';

/** The oldest kubectl that can do what the pages show. */
const oldest = 31;
const { stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
const minor = Number.parseInt(/"minor": "(\d+)/.exec(stdout ?? '')?.[1] ?? '0', 10);
if (minor < oldest)
  console.warn(`pages of the documentation: no kubectl 1.${oldest} or later is on PATH; they are not followed`);

/** Everything a reader is told to write or type works, and prints what the page says. */
describe.skipIf(minor < oldest)('a page', () => {
  it.each([
    ['docs/byoh.md', 3, 30],
    ['docs/connectors.md', 2, 34],
    ['docs/run-pipelines.md', 5, 19],
    ['docs/tekton-operator.md', 2, 18],
    ['docs/write-an-operator.md', 8, 20],
    ['examples/memcached-operator/README.md', 1, 8],
  ])('can be followed to its end: %s', { timeout: 240_000 }, async (page, files, commands) => {
    const done = await followPage(page);
    expect(done.files).toBeGreaterThanOrEqual(files);
    expect(done.commands).toBeGreaterThanOrEqual(commands);
  });
});

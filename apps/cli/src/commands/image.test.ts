import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageOf, layerOf, pushImage, TestRegistry } from '@tektite/testkit/images';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

let scratch: Scratch;
let registry: TestRegistry;
const image = imageOf([layerOf([{ name: 'file', content: 'x'.repeat(1000) }])]);

beforeEach(async () => {
  scratch = new Scratch();
  registry = await TestRegistry.start();
  await pushImage(registry.origin, 'team/app', 'v1', image);
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  scratch[Symbol.dispose]();
});

/** Runs a command to its end without blocking the registry of this process. */
async function run(...words: readonly string[]): Promise<{ code: number | null; output: string }> {
  await using command = scratch.spawn(['image', ...words]);
  await once(command.child, 'close');
  return { code: command.child.exitCode, output: command.output };
}

describe('tektite image', () => {
  it('pulls, lists, saves, removes and loads images', async () => {
    const name = `${registry.host}/team/app:v1`;
    const pulled = await run('pull', name);
    expect([pulled.code, pulled.output]).toEqual([0, expect.stringContaining(`team/app@${image.digest}`)]);
    const listed = await run('list');
    expect(listed.output).toMatch(/^NAME +DIGEST +PLATFORM +SIZE +ON DISK +LAST USED\n/);
    expect(listed.output).toContain(name);
    expect((await run('save', name, '-f', 'app.tar')).code).toBe(0);
    expect((await run('rm', name)).output).toBe(`${name} removed\n`);
    expect((await run('list')).output).toBe('The image store is empty.\n');
    expect((await run('load', 'app.tar')).output).toBe(`${name}\n`);
    const json = JSON.parse((await run('list', '-o', 'json')).output) as { digest: string; names: string[] }[];
    expect(json).toMatchObject([{ digest: image.digest, names: [name] }]);
    expect((await run('prune', '--all')).output).toContain(`${name} removed\n`);
  }, 60_000);

  it('loads from standard input', async () => {
    await run('pull', `${registry.host}/team/app:v1`, '--store', 'one');
    await run('save', `${registry.host}/team/app:v1`, '--store', 'one', '-f', 'app.tar');
    const input = readFileSync(join(scratch.path, 'app.tar'));
    const words = [join(repository, 'apps/cli/bin/tektite.js'), 'image', 'load', '-', '--name', 'mine:dev'];
    const env = { PATH: process.env['PATH'], HOME: scratch.path };
    const { status, stdout } = spawnSync(process.execPath, words, { input, env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, 'docker.io/library/mine:dev\n']);
  }, 60_000);

  it.each([
    [['pull', 'UPPER:x'], 2, 'could not parse reference: UPPER:x'],
    [['pull', '127.0.0.1:9/none:v1'], 1, 'failed to resolve reference "127.0.0.1:9/none:v1"'],
    [['rm', 'none:v1'], 1, 'none:v1 is not in the image store'],
    [['prune'], 2, 'choose the images to remove'],
    [['prune', '--max-size', 'much'], 2, '--max-size must be a size'],
    [['load', 'missing.tar'], 1, 'missing.tar cannot be read'],
    [['pull', 'x1:v1', '--registries', 'missing.json'], 1, 'missing.json: there is no such file'],
  ] as const)('reports errors of %j in a sentence', async (words, code, text) => {
    const { code: found, output } = await run(...words);
    expect([found, output]).toEqual([code, expect.stringContaining(text)]);
    expect(output).not.toContain('bug of tektite');
  });
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

/** A disk of 60 MB, and how to fill it to the last byte. */
function smallDisk(path: string): Disposable & { fill: () => void; free: () => void } {
  mkdirSync(path);
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', path]).status).toBe(0);
  const filler = join(path, 'filler');
  return {
    [Symbol.dispose]: () => void spawnSync('umount', ['-l', path]),
    fill: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']),
    free: () => rmSync(filler, { force: true }),
  };
}

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!hasKubectl).each(usersHere('root'))('as %s, on a disk that is full', (user) => {
  it('a control plane says so, accepts deletes, starts again with no byte free, and recovers without a restart', async () => {
    await using me = stranger({ user });
    const disk = join(me.home, 'disk');
    using small = smallDisk(disk);
    const { fill, free } = small;
    const data = join(disk, 'data');
    const up = () => me.spawn(['tektite', 'up', '--api-only', '--port', '0', '--data-dir', data]);
    const kubectl = (line: string) => me.sh(`kubectl --kubeconfig ${data}/kubeconfig ${line}`);
    const create = (name: string) =>
      kubectl(`create configmap ${name} --from-literal=x=$(head -c 50000 /dev/zero | tr '\\0' y)`);

    const first = up();
    await first.said(/Ctrl-C/);
    for (const name of ['a', 'b']) expect((await create(name)).code).toBe(0);
    fill();
    const denied = await create('c');
    expect(denied.code).toBe(1);
    expect(denied.err).toContain(`no space left on ${data}/state`);
    const ready = await kubectl('get --raw /readyz');
    expect(ready.err).toContain('[-]etcd failed: no space left');
    expect((await kubectl('get --raw /livez')).out).toBe('ok');
    first.kill('SIGKILL');
    await first.ended();

    const second = up();
    await second.said(/Ctrl-C/);
    expect((await kubectl('get configmaps -o name')).out).toContain('configmap/b');
    expect((await create('c')).err).toContain('no space left on');
    expect((await kubectl('delete configmap a')).code).toBe(0);
    free();
    await expect.poll(async () => (await create('c')).code, { interval: 500, timeout: 30_000 }).toBe(0);
    expect((await kubectl('get --raw /readyz')).out).toBe('ok');
    expect((await kubectl('get configmaps -o name')).out).toBe('configmap/b\nconfigmap/c\n');
    await expect
      .poll(async () => (await kubectl('get events --field-selector reason=StorageFull')).out, { timeout: 15_000 })
      .toContain('writes were denied from');
    second.kill('SIGTERM');
    expect(await second.ended()).toBe(0);
  });
});

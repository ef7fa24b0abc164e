import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeKubeconfig } from './kubeconfig-file.ts';

it('writes the key into a new file, whatever exists under its temporary name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-kubeconfig-'));
  try {
    const file = join(folder, 'config');
    const theirs = join(folder, 'theirs');
    await writeFile(theirs, '', { mode: 0o666 });
    await symlink(theirs, `${file}.${process.pid}`);
    const connection = { server: 'https://127.0.0.1:6443', authority: 'a', certificate: 'c', key: 'secret' };
    await writeKubeconfig(file, connection);
    expect(await readFile(theirs, 'utf8')).toBe('');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(Buffer.from('secret').toString('base64'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tarOf, TestFolder } from '@tektite/testkit/images';
import { expect, it } from 'vitest';

const native = join(import.meta.dirname, '../../../../native/layers/dist/layers');
const hasMappers = spawnSync('sh', ['-c', 'command -v newuidmap && command -v newgidmap']).status === 0;
const hasFiles = existsSync('/etc/subuid') && existsSync('/etc/subgid');
const canTest = process.getuid?.() === 0 && hasMappers && hasFiles;

/** A user of the machine that is not root, with subordinate ids in a mount namespace of the test's. */
const script = `
set -e
printf '%s:200000:65536\\n' "$1" >sub
mount --bind sub /etc/subuid
mount --bind sub /etc/subgid
as="setpriv --reuid=$1 --regid=$1 --clear-groups"
$as ./layers unpack --users=200000:65536 --groups=200000:65536 out <a.tar
stat --format '%n %u:%g %a' out/app out/locked out/root out/foreign
$as ./layers remove --users=200000:65536 --groups=200000:65536 out
`;

it.runIf(canTest)('a user with subordinate ids unpacks files of other owners, and removes them again', () => {
  using folder = new TestFolder();
  const user = 65_534;
  const out = folder.join('out');
  mkdirSync(out);
  for (const path of [folder.path, out]) chownSync(path, user, user);
  chmodSync(folder.path, 0o755);
  copyFileSync(native, folder.join('layers'));
  const archive = tarOf([
    { name: 'app', uid: 65_532, gid: 5 },
    { name: 'locked/', type: '5', mode: 0o700, uid: 33, gid: 33 },
    { name: 'locked/file', uid: 33 },
    { name: 'root' },
    { name: 'foreign', uid: 900_000 },
  ]);
  writeFileSync(folder.join('a.tar'), archive);
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', String(user)];
  const output = execFileSync('unshare', words, { cwd: folder.path, encoding: 'utf8' });
  const [counts, ...files] = output.trim().split('\n');
  expect(JSON.parse(counts as string)).toMatchObject({ entries: 5, foreignOwners: 1 });
  expect(files).toEqual([
    'out/app 265531:200004 644',
    'out/locked 200032:200032 700',
    `out/root ${user}:${user} 644`,
    `out/foreign ${user}:${user} 644`,
  ]);
  expect(() => lstatSync(out)).toThrow('ENOENT');
});

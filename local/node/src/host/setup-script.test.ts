import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { boundingSet, UnknownCapabilityError } from './capability-set.ts';
import { parseReport } from './control-channel.ts';
import { formatFstab, overlayPath } from './fstab.ts';
import { environmentScript } from './setup-script.ts';

test('variables of any content reach the program as they are', () => {
  const env = new Map([
    ['PLAIN', 'x'],
    ['QUOTES', `it's "$HOME" \`id\` $(id) \\`],
    ['LINES', 'a\nb\n'],
    ['odd.name-1', 'y'],
    ['IFS', 'z'],
    ['PATH', '/usr/bin:/bin'],
  ]);
  const { stdout } = spawnSync('sh', ['-c', `${environmentScript(env)} run env -0`], { encoding: 'utf8', env: {} });
  const seen = new Map(
    stdout.split('\0').map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
  for (const [name, value] of env) expect(seen.get(name)).toBe(value);
});

test('a report says how far a start came', () => {
  expect(parseReport('pid 12\nstarted\n')).toEqual({ pid: 12, started: true });
  expect(parseReport('pid 12\nerror no such\nfile\n')).toEqual({ pid: 12, started: false, error: 'no such\nfile' });
  expect(parseReport('')).toEqual({ started: false });
});

test('paths in a table of mounts cannot become other fields or lines', () => {
  const line = { source: '/a b', target: '/c\td\ne\\#', type: 'none', options: 'bind' } as const;
  expect(formatFstab([line])).toBe('/a\\040b /c\\011d\\012e\\134\\043 none bind 0 0\n');
  expect(() => formatFstab([{ ...line, source: '/a\0' }])).toThrow('null byte');
  expect(() => overlayPath('/a,upperdir=/etc')).toThrow('cannot be a layer');
});

test('capabilities are the usual ones, without what would open the machine', () => {
  const set = boundingSet({ add: [], drop: [] }, false).split(',');
  expect(set[0]).toBe('-all');
  expect(set).toContain('+chown');
  for (const name of ['+sys_admin', '+mknod', '+net_raw', '+sys_chroot', '+sys_ptrace'])
    expect(set).not.toContain(name);
  expect(boundingSet({ add: ['CAP_NET_RAW'], drop: ['all'] }, false)).toBe('-all,+net_raw');
  expect(boundingSet({ add: [], drop: ['chown'] }, false)).not.toContain('chown');
  expect(boundingSet({ add: [], drop: [] }, true)).toBe('+all');
  expect(() => boundingSet({ add: ['FLY,+sys_admin'], drop: [] }, false)).toThrow(UnknownCapabilityError);
});

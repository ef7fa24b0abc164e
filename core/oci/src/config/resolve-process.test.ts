import { describe, expect, it } from 'vitest';
import { isStoreError } from '../store-error.ts';
import { parseAccounts } from './accounts.ts';
import { type ImageConfig, parseImageDocument } from './image-config.ts';
import { type ProcessRequest, resolveProcess } from './resolve-process.ts';

const accounts = parseAccounts(
  'root:x:0:0:root:/root:/bin/sh\n# a comment\nbroken\napp:x:1000:1001:App:/home/app:/bin/sh\n',
  'root:x:0:\nwheel:x:10:app,root\napp:x:1001:\ndocker:x:99:app\n',
);
const configOf = (config: object): ImageConfig => parseImageDocument(JSON.stringify({ config })).config;
const request = (fields: Partial<ProcessRequest> = {}): ProcessRequest => ({
  command: [],
  args: [],
  env: new Map(),
  user: { supplementalGroups: [] },
  ...fields,
});
const userOf = (user: string, own: Partial<ProcessRequest['user']> = {}) => {
  const config = configOf({ User: user, Cmd: ['x'] });
  const { uid, gid, groups, env } = resolveProcess(
    request({ user: { supplementalGroups: [], ...own } }),
    config,
    accounts,
  );
  return { uid, gid, groups, home: env.get('HOME') };
};

describe('the command of a container', () => {
  const config = configOf({ Entrypoint: ['/entry'], Cmd: ['a', 'b'] });
  it.each([
    ["is the image's entrypoint with its arguments", [], [], ['/entry', 'a', 'b']],
    ["is the image's entrypoint with the container's arguments", [], ['c'], ['/entry', 'c']],
    ["is the container's command without the image's arguments", ['/mine'], [], ['/mine']],
    ["is the container's command with its own arguments", ['/mine'], ['c'], ['/mine', 'c']],
  ])('%s', (_, command, args, argv) => {
    expect(resolveProcess(request({ command, args }), config, accounts).argv).toEqual(argv);
  });

  it('has to be named by the container or its image', () => {
    const resolve = () => resolveProcess(request(), configOf({}), accounts);
    expect(resolve).toThrow('no command specified');
    expect(resolve).toThrow(expect.toSatisfy((error) => isStoreError(error, 'NO_COMMAND')));
  });
});

describe('the user of a container', () => {
  it.each([
    ['is root where the image names none', '', { uid: 0, gid: 0, groups: [10], home: '/root' }],
    [
      "is looked up by name in the image's accounts",
      'app',
      { uid: 1000, gid: 1001, groups: [10, 99], home: '/home/app' },
    ],
    ['may be a number with an account', '1000', { uid: 1000, gid: 1001, groups: [10, 99], home: '/home/app' }],
    ['may be a number without an account', '65532', { uid: 65_532, gid: 0, groups: [], home: '/' }],
    ['may have a group by name', 'app:wheel', { uid: 1000, gid: 10, groups: [99], home: '/home/app' }],
    ['may have a group by number', '65532:65533', { uid: 65_532, gid: 65_533, groups: [], home: '/' }],
  ])('%s', (_, user, expected) => {
    expect(userOf(user)).toEqual(expected);
  });

  it('is that of the Pod where it names one, and the group of the image does not count then', () => {
    expect(userOf('app:wheel', { uid: 65_532, supplementalGroups: [7] })).toEqual({
      uid: 65_532,
      gid: 0,
      groups: [7],
      home: '/',
    });
    expect(userOf('app', { gid: 5 })).toMatchObject({ uid: 1000, gid: 5, groups: [10, 99] });
  });

  it.each(['nobody-here', 'app:nothing', '-1', '4294967295'])('cannot be %s, which the image does not know', (user) => {
    expect(() => userOf(user)).toThrow('no matching entries in');
  });
});

describe('the environment and folder of a container', () => {
  it('merge the image with the container, whose values win', () => {
    const config = configOf({ Env: ['PATH=/opt', 'A=1', 'broken', '=x', 'B=x=y'], WorkingDir: '/src', Cmd: ['x'] });
    const { env, cwd, stopSignal } = resolveProcess(request({ env: new Map([['A', '2']]) }), config, accounts);
    expect(Object.fromEntries(env)).toEqual({ PATH: '/opt', A: '2', B: 'x=y', HOME: '/root' });
    expect([cwd, stopSignal]).toEqual(['/src', 'SIGTERM']);
    expect(resolveProcess(request({ workingDir: '/w' }), config, accounts).cwd).toBe('/w');
  });
});

describe('the configuration document of an image', () => {
  it('is read leniently: fields of other types count as absent', () => {
    const { config, diffIds } = parseImageDocument(
      JSON.stringify({
        config: { Env: [1, null, 'A=b'], Cmd: 'x', Volumes: { '/data': {} }, Labels: { a: 1, b: 'c' } },
      }),
    );
    expect(config).toMatchObject({ cmd: [], volumes: ['/data'], labels: { b: 'c' }, user: '' });
    expect([[...config.env], diffIds]).toEqual([[['A', 'b']], []]);
  });

  it('is refused when it is not JSON or names layers by something that is no digest', () => {
    expect(() => parseImageDocument('{')).toThrow('not JSON');
    expect(() => parseImageDocument(JSON.stringify({ rootfs: { diff_ids: ['../../etc'] } }))).toThrow(
      'names the layer',
    );
  });
});

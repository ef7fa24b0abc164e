import { sleep, systemClock } from '@tektite/meta';
import { expect, it } from 'vitest';
import { machineNetwork } from '../runtime/network.ts';
import { httpCheck } from './http-check.ts';

const target = { host: '127.0.0.1', port: 1, agent: 'kube-probe' };

it.each([
  ['a header that no request can have', { httpHeaders: [{ name: 'X', value: '漢字\n' }] }],
  ['a name of a header that is none', { httpHeaders: [{ name: 'X Y:', value: '1' }] }],
  ['a path that is none', { path: '/\u0000 \n' }],
  ['an address that is none', { host: 'a b' }],
])('fails for %s, and later nothing comes of it', async (_what, check) => {
  const result = await httpCheck({ ...target, ...check }, machineNetwork, systemClock, 20);
  expect(result).toMatchObject({ success: false, error: expect.stringContaining('Get "http://') as string });
  await sleep(systemClock, 60);
});

import { formatTime } from '@tektite/meta';
import { expect, it } from 'vitest';
import type { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { tokenSecret } from './bootstrap-token.ts';
import { decideToken, isManaged } from './decide.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const [past, future] = [formatTime(now - 60_000), formatTime(now + 60_000)];

const kubeconfig = (status?: BootstrapKubeconfig['status'], spec: object | undefined = {}) =>
  ({
    kind: 'BootstrapKubeconfig',
    metadata: { name: 'k', namespace: 'default', uid: 'u1' },
    spec,
    status,
  }) as unknown as BootstrapKubeconfig;
const secret = (id: string, expiration: string) =>
  tokenSecret({ id, secret: 's', expiration }, { uid: 'u1', namespace: 'default' });
const observed = { object: kubeconfig(), secrets: [], requesters: new Set<string>(), now };

it('publishes a new token where there is none', () => {
  expect(decideToken(observed)).toEqual({ type: 'publish', expired: [], usable: undefined });
});

it('publishes a token again that a process which died had created', () => {
  const usable = secret('aaaaaa', future);
  expect(decideToken({ ...observed, secrets: [usable] })).toEqual({ type: 'publish', expired: [], usable });
});

it('replaces a token that expired unused', () => {
  const expired = secret('aaaaaa', past);
  const object = kubeconfig({ expirationTime: past });
  expect(decideToken({ ...observed, object, secrets: [expired] })).toEqual({
    type: 'publish',
    expired: [expired],
    usable: undefined,
  });
});

it('does not replace a token that a host has used', () => {
  const secrets = [secret('aaaaaa', past)];
  const requesters = new Set(['system:bootstrap:aaaaaa']);
  expect(decideToken({ ...observed, secrets, requesters })).toEqual({ type: 'nothing' });
});

it('does not replace a deleted token before its time', () => {
  const object = kubeconfig({ expirationTime: future });
  expect(decideToken({ ...observed, object })).toEqual({ type: 'wait', requeueMs: 60_000 });
});

it('leaves the kubeconfigs of upstream alone, which have no time', () => {
  expect(isManaged(kubeconfig({ bootstrapKubeconfigData: 'x' }))).toBe(false);
  expect(isManaged(kubeconfig({ bootstrapKubeconfigData: 'x', expirationTime: past }))).toBe(true);
  expect(isManaged(kubeconfig())).toBe(true);
});

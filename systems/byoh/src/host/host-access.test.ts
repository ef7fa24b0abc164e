import { describe, expect, it } from 'vitest';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { heartbeatName, hostOfAccess, hostOfHeartbeat, ownAccess, secretAccess } from './host-access.ts';

const host = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ByoHost', metadata: { name, namespace: 'default', uid: name } }) as ByoHost;
const machine = {
  apiVersion: 'v1',
  kind: 'ByoMachine',
  metadata: { name: 'm1', namespace: 'default', uid: 'u1' },
} as ByoMachine;

describe('what a host is allowed', () => {
  it('is for its own user, and names all that it is about', () => {
    for (const { role, binding } of [ownAccess('a', 'default'), secretAccess(host('a'), machine, ['s2', 's1', 's2'])]) {
      expect(binding.subjects).toEqual([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'byoh:host:a' }]);
      expect(binding.roleRef.name).toBe(role.metadata.name);
      // RBAC knows no names when something is created.
      for (const { resourceNames = [], verbs } of role.rules ?? [])
        if (verbs?.join() !== 'create') expect(resourceNames.length).toBeGreaterThan(0);
    }
    expect(secretAccess(host('a'), machine, ['s2', 's1', 's2']).role.rules?.[0]?.resourceNames).toEqual(['s1', 's2']);
  });

  it('creates ByoHosts and Events, and no heartbeat', () => {
    const created = (ownAccess('a', 'default').role.rules ?? [])
      .filter(({ verbs }) => verbs?.includes('create'))
      .flatMap(({ resources = [] }) => resources);
    expect(created).toEqual(['byohosts', 'events']);
  });

  it('is known by its name again', () => {
    expect(hostOfAccess(ownAccess('a', 'default').role)).toEqual({ type: 'own', host: 'a' });
    expect(hostOfAccess(secretAccess(host('a'), machine, []).binding)).toEqual({ type: 'secrets', host: 'a' });
    expect(hostOfAccess({ metadata: { name: 'other' } })).toBeUndefined();
  });

  it('cannot be had by calling oneself like a part of another', () => {
    const names = ['a', 'a-secrets', 'secrets-a', 'host-a'].flatMap((name) => [
      ownAccess(name, 'default').role.metadata.name,
      secretAccess(host(name), machine, []).role.metadata.name,
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('holds for names of any length', () => {
    const name = 'h'.repeat(64);
    expect(Object.values(ownAccess(name, 'default').role.metadata.labels ?? {})).toEqual(['']);
    expect(hostOfHeartbeat({ metadata: { name: heartbeatName(name) } })).toBe(name);
    expect(hostOfHeartbeat({ metadata: { name: 'other' } })).toBe('');
  });
});

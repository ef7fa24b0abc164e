import { builtinKinds } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import { kinds } from './kinds.ts';

it('has every built-in kind in its preferred version', () => {
  const preferred = new Map<string, string>();
  for (const { group, version } of builtinKinds) if (!preferred.has(group)) preferred.set(group, version);
  const expected = builtinKinds
    .filter(({ group, version }) => preferred.get(group) === version)
    .map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  const actual = Object.values(kinds).map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(actual.toSorted()).toEqual(expected.toSorted());
});

it('knows scope, subresources and schema', () => {
  expect(kinds.Deployment).toMatchObject({ scope: 'Namespaced', shortNames: ['deploy'], listKind: 'DeploymentList' });
  expect(Object.keys(kinds.Deployment.subresources)).toEqual(['status', 'scale']);
  expect(kinds.Node.scope).toBe('Cluster');
  expect(kinds.Pod.schema).toHaveProperty('properties.spec');
});

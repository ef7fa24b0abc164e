import { expect, it } from 'vitest';
import { tektonDialect } from '../../installer-set/tekton-dialect.ts';
import type { TektonInstallerSet } from '../../kinds/kinds.ts';
import { installedStatus, installEvents, lastingEntries, manifestsFailure, setOf, withInventory } from './decide.ts';

const set = (status?: object): TektonInstallerSet => ({
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonInstallerSet',
  metadata: { name: 's', generation: 3 },
  spec: { manifests: [] },
  ...(status ? { status } : {}),
});
const entry = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'c' };

it('keeps the inventory in the status, and reads it back', () => {
  const status = withInventory({ annotations: { other: 'x' } }, [entry] as never);
  expect(status.annotations).toMatchObject({ other: 'x' });
  expect(setOf(set(status)).inventory).toEqual([entry]);
});

it('knows nothing of an inventory that was edited', () => {
  expect(setOf(set({ annotations: { 'tektite.dev/inventory': '{' } })).inventory).toEqual([]);
  expect(setOf(set()).inventory).toBeUndefined();
});

it('reports manifests that cannot be read in the conditions', () => {
  const status = installedStatus(set(), {}, [manifestsFailure('no kind')], tektonDialect({}), 0);
  expect(status.observedGeneration).toBe(3);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: 'NamespaceScopedResourcesInstalled',
      status: 'False',
      message: 'Install failed with message: no kind',
    }),
  );
});

it('has Events for recreated objects and for no other change', () => {
  const object = (kind: string) => ({ apiVersion: 'v1', kind, namespace: 'n', name: 'web' });
  const changes = [
    { object: object('Deployment'), action: 'deleted' },
    { object: object('Deployment'), action: 'created' },
    { object: object('ConfigMap'), action: 'deleted' },
  ] as const;
  const events = installEvents({ changes, restored: [object('Service')] });
  expect(events.map(({ message }) => message)).toEqual([
    'Service n/web was deleted; it is recreated',
    'the Deployment web could not make its Pods; it is recreated',
  ]);
});

it('follows all objects but Jobs that delete themselves', () => {
  const job = (name: string, spec: object) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec });
  const inventory = ['stays', 'passes'].map((name) => ({ group: 'batch', version: 'v1', kind: 'Job', name }));
  const objects = [job('stays', {}), job('passes', { ttlSecondsAfterFinished: 10 })];
  expect(lastingEntries(inventory, objects).map(({ name }) => name)).toEqual(['stays']);
});

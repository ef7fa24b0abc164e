import { describe, expect, it } from 'vitest';
import type { TektonInstallerSet } from '../kinds/kinds.ts';
import { actionFor, decideSets } from './decide-sets.ts';
import { keys } from './set-keys.ts';
import { ownObjects } from './shared-objects.ts';
import type { WantedSets } from './wanted-sets.ts';

const wanted: WantedSets = {
  createdBy: 'TektonPipeline',
  type: 'main',
  targetNamespace: 'tekton',
  version: 'v2',
  hash: 'h',
  imagesHash: 'i',
  payload: 'v1.15.0',
  parts: [
    { generateName: 'pipeline-main-static-', objects: [] },
    { generateName: 'pipeline-main-deployment-', objects: [] },
  ],
};

interface Changes {
  readonly labels?: Record<string, string | undefined>;
  readonly annotations?: Record<string, string | undefined>;
  readonly deletionTimestamp?: string;
}

function set(name: string, { labels, annotations, deletionTimestamp }: Changes = {}): TektonInstallerSet {
  return {
    metadata: {
      name: `pipeline-main-${name}-abcde`,
      labels: { [keys.releaseVersion]: 'v2', ...labels },
      annotations: {
        [keys.targetNamespace]: 'tekton',
        [keys.lastAppliedHash]: 'h',
        [keys.imagesHash]: 'i',
        [keys.payload]: 'v1.15.0',
        ...annotations,
      },
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
  } as unknown as TektonInstallerSet;
}

const both = (changes?: Changes) => [set('static', changes), set('deployment', changes)];

describe('what there is of main sets', () => {
  it.each<[string, readonly TektonInstallerSet[], string, string]>([
    ['nothing', [], 'NotFound', 'create'],
    ['both', both(), 'Good', 'none'],
    ['one with StatefulSets', [set('static'), set('statefulset')], 'Good', 'none'],
    ['the first alone: its creation is not complete', [set('static')], 'Partial', 'create'],
    ['the second alone', [set('deployment')], 'Invalid', 'delete'],
    ['three', [...both(), set('static')], 'Invalid', 'delete'],
    ['two of the same sort', [set('static'), set('static')], 'Invalid', 'delete'],
    ['one that goes', [set('static'), set('deployment', { deletionTimestamp: 'now' })], 'InDeletion', 'wait'],
    ['of an older operator', both({ labels: { [keys.releaseVersion]: 'v1' } }), 'VersionDifferent', 'delete'],
    ['of an unknown version', both({ labels: { [keys.releaseVersion]: undefined } }), 'Invalid', 'delete'],
    [
      'in another namespace',
      both({ annotations: { [keys.targetNamespace]: 'other' } }),
      'NamespaceDifferent',
      'delete',
    ],
    ['of another release', both({ annotations: { [keys.payload]: 'v1.14.1' } }), 'VersionDifferent', 'delete'],
    ['of other settings', both({ annotations: { [keys.lastAppliedHash]: 'x' } }), 'UpdateRequired', 'update'],
    ['of other images', both({ annotations: { [keys.imagesHash]: 'x' } }), 'UpdateRequired', 'update'],
    [
      "made by upstream's operator, which writes neither",
      both({ annotations: { [keys.imagesHash]: undefined, [keys.payload]: undefined } }),
      'Good',
      'none',
    ],
    ['without a hash', both({ annotations: { [keys.lastAppliedHash]: undefined } }), 'Invalid', 'delete'],
    [
      'only one of them of an older operator',
      [set('static'), set('deployment', { labels: { [keys.releaseVersion]: 'v1' } })],
      'VersionDifferent',
      'delete',
    ],
  ])('finds sets %s', (_, existing, finding, action) => {
    const found = decideSets(existing, wanted);
    expect(found).toBe(finding);
    expect(actionFor(found, wanted, existing)).toBe(action);
  });

  it('an upgrade in place keeps the sets', () => {
    const existing = both({ labels: { [keys.releaseVersion]: 'v1' } });
    expect(actionFor(decideSets(existing, wanted), { ...wanted, onUpgrade: 'update' }, existing)).toBe('update');
  });

  it('a set whose version does not count stays over upgrades', () => {
    const { version: _, ...unversioned } = { ...wanted, type: 'chain-secret', parts: wanted.parts.slice(0, 1) };
    expect(decideSets([set('static', { labels: { [keys.releaseVersion]: 'v1' } })], unversioned)).toBe('Good');
  });
});

it('what two sets have is looked after by the older one', () => {
  const shared = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name: 'shared' } };
  const own = { ...shared, metadata: { namespace: 'a', name: 'own' } };
  const made = (uid: string, creationTimestamp: string, manifests: unknown) =>
    ({ metadata: { uid, creationTimestamp }, spec: { manifests } }) as TektonInstallerSet;
  const older = made('1', '2026-01-01T00:00:00Z', [shared]);
  const newer = made('2', '2026-01-01T00:00:01Z', [shared, own, 'nonsense']);
  expect(ownObjects(older, [older, newer])).toEqual([shared]);
  expect(ownObjects(newer, [older, newer])).toEqual([own]);
  expect(ownObjects(newer, [newer])).toEqual([shared, own]);
});

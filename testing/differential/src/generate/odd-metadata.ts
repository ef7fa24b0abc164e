import type { Edit } from '../operation.ts';
import type { Choice } from './choice.ts';
import type { Target } from './target.ts';

/** Metadata that is mostly plain, at times with what only the server or a controller should set. */
export function oddMetadata(choice: Choice, target: Target): Record<string, unknown> {
  return {
    ...(choice.chance(0.1) ? { annotations: { note: choice.pick(['', 'x']) } } : {}),
    ...(choice.chance(0.05)
      ? { finalizers: [choice.pick(['example.com/keep', 'bad finalizer', 'orphan', 'foregroundDeletion'])] }
      : {}),
    ...(choice.chance(0.03) ? { resourceVersion: choice.pick(['1', '0', 'x']) } : {}),
    ...(choice.chance(0.03) ? { uid: choice.pick(['x', `{{uid of ${target.collection}/a}}`]) } : {}),
    ...(choice.chance(0.03) ? { namespace: choice.pick(['other', '', '{{ns}}']) } : {}),
    ...(choice.chance(0.03)
      ? { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: choice.pick(['', 'x']) }] }
      : {}),
    ...(choice.chance(0.03)
      ? {
          managedFields: choice.pick<unknown>([
            [],
            [{}],
            [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }],
            null,
          ]),
        }
      : {}),
  };
}

/** At times a change of the metadata of an object. */
export function metadataEdits(choice: Choice): readonly Edit[] {
  if (choice.chance(0.8)) return [];
  return [
    choice.pick<Edit>([
      { at: '/metadata/labels/extra', value: choice.pick(['x', 'bad label', '', null]) },
      { at: '/metadata/annotations', value: choice.pick<unknown>([{ a: 'b' }, { 'bad key ': 'x' }, null]) },
      { at: '/metadata/finalizers', value: choice.pick<unknown>([[], ['example.com/keep'], null]) },
      { at: '/metadata/uid', value: choice.pick(['x', '']) },
      { at: '/metadata/name', value: 'other' },
      { at: '/metadata/generateName', value: 'x' },
      { at: '/metadata/creationTimestamp', value: choice.pick<unknown>([null, '2020-01-01T00:00:00Z', 'x']) },
      { at: '/metadata/deletionTimestamp', value: '2020-01-01T00:00:00Z' },
      { at: '/metadata/generation', value: 7 },
      { at: '/metadata/managedFields', value: choice.pick<unknown>([[], null, [{}]]) },
      { at: '/metadata/selfLink', value: 'x' },
    ]),
  ];
}

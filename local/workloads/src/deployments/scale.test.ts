import type { Deployment, ReplicaSet } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { desiredAnnotation, maxAnnotation } from './revision.ts';
import { type Rollout, tolerance } from './rollout.ts';
import { growCurrent, rescale, shrinkOld } from './scale.ts';

function set(name: string, replicas: number, available = replicas, desired = 10): ReplicaSet {
  const annotations = { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + 2) };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, annotations },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

function rollout(
  replicas: number,
  current: ReplicaSet,
  old: ReplicaSet[],
  rollingUpdate: object = { maxSurge: 2, maxUnavailable: 1 },
): Rollout {
  const spec = { replicas, selector: {}, template: {}, strategy: { type: 'RollingUpdate', rollingUpdate } };
  const deployment: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec,
    status: { replicas },
  };
  return { deployment, current, old };
}

const sizes = (resizes: readonly { readonly replicaSet: ReplicaSet; readonly replicas: number }[]) =>
  resizes.map(({ replicaSet, replicas }) => [replicaSet.metadata.name, replicas]);

describe('how a rollout moves', () => {
  it.each([
    ['as far as there may be more', rollout(10, set('new', 0, 0), [set('old', 10)]), [['new', 2]]],
    ['no further while old ones are there', rollout(10, set('new', 2, 0), [set('old', 10)]), []],
    ['never beyond what is wanted', rollout(10, set('new', 9), [set('old', 0)]), [['new', 10]]],
    ['down when it has too many', rollout(3, set('new', 5), []), [['new', 3]]],
  ])('the new one grows %s', (_title, given, expected) => {
    expect(sizes(growCurrent(given))).toEqual(expected);
  });

  it.each([
    ['by what may be missing at the start', rollout(10, set('new', 2, 0), [set('old', 10)]), [['old', 9]]],
    ['by as many as the new one has ready', rollout(10, set('new', 2), [set('old', 10)]), [['old', 7]]],
    ['not while too few are available', rollout(10, set('new', 2, 0), [set('old', 9)]), []],
    [
      'first by what does not work',
      rollout(10, set('new', 2, 0), [set('broken', 5, 0), set('old', 5)]),
      [['broken', 4]],
    ],
    [
      'oldest first',
      rollout(10, set('new', 10), [set('a', 1), set('b', 1)]),
      [
        ['a', 0],
        ['b', 0],
      ],
    ],
  ])('old ones shrink %s', (_title, given, expected) => {
    expect(sizes(shrinkOld(given))).toEqual(expected);
  });

  it.each([
    ['one alone takes all', rollout(20, set('new', 10), [set('old', 0)]), [['new', 20]]],
    [
      'several grow by their sizes',
      rollout(20, set('new', 4), [set('old', 8)]),
      [
        ['old', 15],
        ['new', 7],
      ],
    ],
    [
      'several shrink by their sizes',
      rollout(5, set('new', 4), [set('old', 8)]),
      [
        ['old', 5],
        ['new', 2],
      ],
    ],
    [
      'to nothing all go',
      rollout(0, set('new', 4), [set('old', 8)]),
      [
        ['old', 0],
        ['new', 0],
      ],
    ],
  ])('after scaling %s', (_title, given, expected) => {
    expect(sizes(rescale(given))).toEqual(expected);
  });

  // It was taken for scaled again in each reconcile, which gave the old ones back what the rollout had taken from them, without end.
  it('after scaling in a rollout one that keeps its size is marked, too', () => {
    const given = rollout(3, set('new', 1, 1, 2), [set('old', 2, 2, 2)], { maxSurge: 1, maxUnavailable: 0 });
    expect(sizes(rescale(given))).toEqual([
      ['old', 3],
      ['new', 1],
    ]);
  });

  it.each([
    [{ maxSurge: '25%', maxUnavailable: '25%' }, 10, { surge: 3, unavailable: 2 }],
    [{ maxSurge: '25%', maxUnavailable: '25%' }, 1, { surge: 1, unavailable: 0 }],
    [{ maxSurge: 0, maxUnavailable: '10%' }, 1, { surge: 0, unavailable: 1 }],
  ])('%o of %i Pods', (rollingUpdate, replicas, expected) => {
    expect(tolerance(rollout(replicas, set('new', 0), [], rollingUpdate).deployment)).toEqual(expected);
  });
});

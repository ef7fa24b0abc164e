import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { deployment } from '../test-support.ts';
import { pathMethod } from './path-method.ts';
import { scaledReplicas } from './scaled-replicas.ts';

const method = pathMethod({
  kinds: { Deployment: { managed: ['spec.replicas', 'spec.template', 'spec.paused'], immutable: ['spec.selector'] } },
});
const manager = 'operator';

/** As the server has it after `manager` applied it. */
function applied(object: DynamicObject, fieldsV1: object = {}): DynamicObject {
  const entry = { manager, operation: 'Apply', fieldsV1: { ...fieldsV1 } };
  return { ...object, metadata: { ...object.metadata, managedFields: [entry] } };
}

const withSpec = (object: DynamicObject, spec: object): DynamicObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
});

describe('method two', () => {
  const wanted = method.prepare(deployment('web'), {});

  it.each([
    ['what is as it should be', wanted, []],
    ['fields that are not managed', withSpec(wanted, { revisionHistoryLimit: 3 }), []],
    ['replicas', withSpec(wanted, { replicas: 3 }), ['spec.replicas changed']],
    [
      'a selector',
      withSpec(wanted, { selector: { matchLabels: { app: 'web', more: 'x' } } }),
      ['spec.selector immutable'],
    ],
    ['a label', { ...wanted, metadata: { ...wanted.metadata, labels: {} } }, ['metadata.labels.app missing']],
  ])('of %s', (_what, live, expected) => {
    const found = method.compare(wanted, applied(live), manager);
    expect(found.map(({ path, why }) => `${path} ${why}`)).toEqual(expected);
  });

  it('sees a field that was managed and is not wanted any more', () => {
    const live = applied(withSpec(wanted, { paused: true }), { 'f:spec': { 'f:paused': {} } });
    expect(method.compare(wanted, live, manager)).toEqual([{ path: 'spec.paused', why: 'dropped' }]);
  });

  it('applies once an object that another manager made', () => {
    expect(method.compare(wanted, wanted, manager)).toEqual([{ path: 'metadata.managedFields', why: 'missing' }]);
  });

  it('has the same hash for the same managed fields', () => {
    const other = withSpec(deployment('web'), { revisionHistoryLimit: 3 });
    expect(method.hash?.(other)).toBe(method.hash?.(deployment('web')));
    expect(method.hash?.(deployment('web', { image: 'x' }))).not.toBe(method.hash?.(deployment('web')));
  });
});

describe('replicas', () => {
  const autoscaler = (spec: object, status: object): DynamicObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {},
    spec,
    status,
  });
  const active = (status: string) => ({ conditions: [{ type: 'ScalingActive', status }] });

  it.each([
    ['one if nothing is written', undefined, undefined, 1],
    ['as written', 3, undefined, 3],
    ['as the autoscaler wants', 3, autoscaler({ maxReplicas: 9 }, { desiredReplicas: 5, ...active('True') }), 5],
    ['never less than its least', 3, autoscaler({ minReplicas: 2, maxReplicas: 9 }, active('True')), 2],
    [
      'as written while it does not scale',
      3,
      autoscaler({ maxReplicas: 9 }, { desiredReplicas: 7, ...active('False') }),
      3,
    ],
    ['within its bounds', 30, autoscaler({ maxReplicas: 9 }, {}), 9],
    ['within its bounds, from below', 1, autoscaler({ minReplicas: 4, maxReplicas: 9 }, {}), 4],
    [
      'also when it is not known whether it scales',
      3,
      autoscaler({ maxReplicas: 9 }, { desiredReplicas: 6, ...active('Unknown') }),
      6,
    ],
  ])('are %s', (_what, written, scaler, expected) => {
    expect(scaledReplicas(written, scaler)).toBe(expected);
  });
});

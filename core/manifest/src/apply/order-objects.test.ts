import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { referenceTo } from '../object-identity.ts';
import { configMap, definition, deployment, widget } from '../test-support.ts';
import { orderObjects } from './order-objects.ts';

const entries = (...objects: readonly DynamicObject[]) => objects.map((object) => ({ object }));
const shown = (steps: ReturnType<typeof orderObjects>) =>
  steps.map(({ name, entries: each }) => `${name}: ${each.map(({ object }) => object.metadata.name).join(' ')}`);

describe('the order of an installation', () => {
  it('goes by phases, and by the file within one', () => {
    const hook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'h' },
    };
    const knative = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'k' } };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
    expect(
      shown(
        orderObjects(
          entries(
            hook,
            widget('w'),
            knative,
            deployment('web'),
            configMap('b'),
            configMap('a'),
            definition(),
            namespace,
          ),
        ),
      ),
    ).toEqual([
      'namespaces: n',
      'definitions: widgets.example.com',
      'configuration: b a',
      'workloads: web',
      'custom resources: w k',
      'mutating webhooks: h',
    ]);
  });

  it('can be that of the file, or of an annotation', () => {
    const steps = orderObjects(entries(deployment('web'), configMap('a')), { order: 'file' });
    expect(steps.map(({ entries: [first] }) => first?.object.metadata.name)).toEqual(['web', 'a']);
    const late = { ...configMap('late'), metadata: { name: 'late', annotations: { 'manifests.dev/phase': '13' } } };
    expect(shown(orderObjects(entries(late, deployment('web'))))).toEqual([
      'workloads: web',
      'validating webhooks: late',
    ]);
    const wrong = { ...configMap('x'), metadata: { name: 'x', annotations: { 'manifests.dev/phase': 'soon' } } };
    expect(() => orderObjects(entries(wrong))).toThrow('is a number from 1 to 13');
  });

  it('respects dependencies, and reports cycles', () => {
    const [a, b, c] = [configMap('a'), configMap('b'), configMap('c')];
    const on = (of: DynamicObject, other: DynamicObject) => ({ of: referenceTo(of), on: referenceTo(other) });
    const ordered = orderObjects(entries(a, b, c), { dependencies: [on(a, b), on(b, c)] });
    expect(ordered.map(({ entries: each }) => each.map(({ object }) => object.metadata.name))).toEqual([
      ['c'],
      ['b'],
      ['a'],
    ]);
    expect(() => orderObjects(entries(a, b), { dependencies: [on(a, b), on(b, a)] })).toThrow(
      'configmap default/a → configmap default/b → configmap default/a',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { settle, TestServer } from '../test-support.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';

const object = (finalizers: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'W',
  metadata: { name: 'w', finalizers },
});

describe('finalizers of custom resources', () => {
  it.each([
    ['example.com/cleanup', []],
    ['orphan', []],
    [
      'byohost.example.com',
      [
        'metadata.finalizers: "byohost.example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      ],
    ],
    [
      'cleanup',
      [
        'metadata.finalizers: "cleanup": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      ],
    ],
  ])('%s is worth these words: %j', (name, expected) => {
    expect(finalizerWarnings(object([name]), undefined)).toEqual(expected);
    expect(finalizerWarnings(object([name]), object([name]))).toEqual([]);
  });

  it('may have any name that a label could have', async () => {
    const server = await TestServer.start();
    const schema = { openAPIV3Schema: { type: 'object' } };
    await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await settle();
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', finalizers: ['a.example.com'] },
    };
    const made = await server.ok('POST', '/apis/example.com/v1/namespaces/default/widgets', widget);
    expect(made.metadata.finalizers).toEqual(['a.example.com']);
  });
});

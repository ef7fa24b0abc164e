import { kinds } from '@tektite/client';
import { deepFreeze } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { metadataOnly, project, strip } from './transform.ts';

const pod: Pod = deepFreeze({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'web' },
    annotations: { note: 'kept', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    nodeName: 'worker',
    containers: [
      { name: 'main', image: 'web:1', env: [{ name: 'A', value: '1' }] },
      { name: 'side', image: 'side:1' },
    ],
  },
  status: { phase: 'Running', podIP: '10.0.0.1' },
});

describe('transforms', () => {
  it('strip what only field managers read, and share the rest', () => {
    const stripped = strip(pod);
    expect(stripped.metadata).toEqual({
      name: 'web',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '7',
      labels: { app: 'web' },
      annotations: { note: 'kept' },
    });
    expect(stripped.spec).toBe(pod.spec);
    expect(pod.metadata.managedFields).toHaveLength(1);
  });

  it('keep metadata alone', () => {
    expect(Object.keys(metadataOnly(pod))).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('project to the declared fields, in each item of a list too, and to what identifies an object', () => {
    const transform = project(kinds.Pod, {
      metadata: { labels: true },
      spec: { nodeName: true, containers: { name: true } },
      status: { startTime: true },
    });
    expect(transform(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7', labels: { app: 'web' } },
      spec: { nodeName: 'worker', containers: [{ name: 'main' }, { name: 'side' }] },
      status: {},
    });
  });

  it('project whole branches', () => {
    const transform = project(kinds.Pod, { metadata: true, status: true });
    expect(transform(pod)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata, status: pod.status });
  });

  it('never read what an object only inherits', () => {
    const transform = project(kinds.ConfigMap, { data: { toString: true, constructor: true } as never });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} };
    expect(Object.keys(transform(object).data ?? {})).toEqual([]);
  });
});

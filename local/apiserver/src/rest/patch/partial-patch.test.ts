import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../server.ts';

const user = { name: 'admin', groups: ['system:masters'] };
const pods = '/api/v1/namespaces/default/pods';
let api: ApiServer;

type Answer = KubeObject & { readonly [field: string]: unknown };

async function ask(method: string, path: string, body: object, contentType = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': contentType };
  const answer = await api.handle({ method, path, query: new URLSearchParams(), headers, user, body });
  return (answer as { object?: unknown }).object as Answer;
}

const things = '/apis/example.com/v1/namespaces/default/things';
const thingDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const patch = (body: object, kind: 'merge' | 'strategic-merge' = 'merge') =>
  ask('PATCH', `${pods}/a/status`, body, `application/${kind}-patch+json`);

beforeEach(async () => {
  api = await ApiServer.create({ disabledAdmissionPlugins: ['ServiceAccount'] });
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await ask('POST', pods, { metadata: { name: 'a', labels: { a: 'b' } }, spec });
});

afterEach(() => api.close());

describe('a patch of a status', () => {
  test.each(['merge', 'strategic-merge'] as const)('changes nothing else (%s)', async (kind) => {
    const before = (await ask('GET', `${pods}/a`, {})) as Answer;
    const after = await patch({ metadata: { uid: before.metadata.uid }, status: { phase: 'Running' } }, kind);
    expect(after.status).toMatchObject({ phase: 'Running' });
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.labels).toEqual({ a: 'b' });
    expect(after.metadata.managedFields?.map(({ subresource }) => subresource ?? '')).toEqual(['', 'status']);
  });

  test('keeps what it does not name, and removes what it says is null', async () => {
    await patch({ status: { phase: 'Running', reason: 'R', message: 'm' } });
    expect((await patch({ status: { reason: null } })).status).toMatchObject({ phase: 'Running', message: 'm' });
    expect((await ask('GET', `${pods}/a`, {})).status).not.toHaveProperty('reason');
  });

  test('merges conditions by their type where it is a strategic one', async () => {
    const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
    await patch(condition('Ready', 'False'), 'strategic-merge');
    const { status } = await patch(condition('Initialized', 'True'), 'strategic-merge');
    expect((status as { conditions: { type: string }[] }).conditions.map(({ type }) => type).sort()).toEqual([
      'Initialized',
      'Ready',
    ]);
  });

  test('may go on being changed: what the server keeps is not what it shares', async () => {
    await patch({ status: { phase: 'Running' } });
    await ask('PATCH', `${pods}/a`, { metadata: { labels: { c: 'd' } } }, 'application/merge-patch+json');
    const { metadata, status } = await patch({ status: { phase: 'Succeeded' } });
    expect([metadata.labels, status]).toMatchObject([{ a: 'b', c: 'd' }, { phase: 'Succeeded' }]);
  });

  test.each([
    ['another version', { metadata: { resourceVersion: '1' }, status: { phase: 'Running' } }, 'Conflict'],
    ['another uid', { metadata: { uid: 'x' }, status: { phase: 'Running' } }, 'Invalid'],
    ['another name', { metadata: { name: 'b' }, status: { phase: 'Running' } }, 'BadRequest'],
    ['a value of a wrong type', { status: { phase: 7 } }, 'Invalid'],
  ])('is refused for %s', async (_, body, reason) => {
    expect(await patch(body)).toMatchObject({ kind: 'Status', reason });
  });
});

describe('a patch of labels and annotations of a custom resource', () => {
  const change = (body: object) => ask('PATCH', `${things}/a`, body, 'application/merge-patch+json');

  beforeEach(async () => {
    await api.define(thingDefinition);
    const thing = { metadata: { name: 'a', labels: { b: '1' } }, spec: { size: 1, none: null } };
    await expect
      .poll(() => ask('POST', things, { apiVersion: 'example.com/v1', kind: 'Thing', ...thing }))
      .toMatchObject({ spec: { size: 1 } });
  });

  test('sets them in order, and leaves the generation and all else as it was', async () => {
    const before = await ask('GET', `${things}/a`, {});
    const after = await change({ metadata: { labels: { a: '2', c: '3' }, annotations: { x: 'y' } } });
    expect(JSON.stringify(after.metadata.labels)).toBe('{"a":"2","b":"1","c":"3"}');
    expect(after).toMatchObject({ spec: before.spec, metadata: { generation: 1, annotations: { x: 'y' } } });
    const [fields] = after.metadata.managedFields ?? [];
    expect(fields?.fieldsV1?.['f:metadata']).toMatchObject({ 'f:labels': { 'f:a': {}, 'f:b': {} } });
  });

  test('is refused for an old version, a wrong uid, and a label that is none', async () => {
    await change({ metadata: { labels: { a: '2' } } });
    expect(await change({ metadata: { resourceVersion: '1', labels: { a: '3' } } })).toMatchObject({ code: 409 });
    expect(await change({ metadata: { uid: 'other', labels: { a: '3' } } })).toMatchObject({ code: 422 });
    expect(await change({ metadata: { labels: { a: 'no label' } } })).toMatchObject({ code: 422 });
    expect((await ask('GET', `${things}/a`, {})).metadata.labels).toEqual({ a: '2', b: '1' });
  });

  test('takes them away where it says null', async () => {
    expect((await change({ metadata: { labels: { b: null } } })).metadata).not.toHaveProperty('labels.b');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UserInfo } from '../../request/api-request.ts';
import { ApiServer } from '../../server.ts';

type Json = Record<string, unknown>;
const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const group = '/apis/admissionregistration.k8s.io/v1';

let api: ApiServer;

beforeEach(async () => {
  api = await ApiServer.create({ disabledAdmissionPlugins: ['ServiceAccount'] });
});

afterEach(() => api.close());

async function call(method: string, path: string, body?: Json) {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const request = { method, path, query: new URLSearchParams(), headers, user: admin };
  const response = await api.handle({ ...request, ...(body ? { body } : {}) });
  const object = (response.type === 'object' ? response.object : {}) as Json & { data?: Json; metadata: Json };
  return { code: response.code, body: object, message: object.message };
}

async function policy(name: string, mutations: Json[], spec: Json = {}, plural = 'configmaps'): Promise<void> {
  const [group_ = '', resource = ''] = plural.includes('/') ? plural.split('/') : ['', plural];
  const created = await call('POST', `${group}/mutatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [group_], apiVersions: ['v1'], resources: [resource], operations: ['CREATE', 'UPDATE'] },
        ],
      },
      reinvocationPolicy: 'Never',
      mutations,
      ...spec,
    },
  });
  expect(created.code, created.message as string).toBe(201);
  const bound = await call('POST', `${group}/mutatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  });
  expect(bound.code, bound.message as string).toBe(201);
}

const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const configMap = (name: string, data: Json = { x: '1' }) =>
  call('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });

describe('a mutating policy', () => {
  test('applies the configuration that its expression builds', async () => {
    await policy('p', [apply('Object{metadata: Object.metadata{labels: {"by": request.userInfo.username}}}')]);
    expect((await configMap('a')).body.metadata).toMatchObject({ labels: { by: 'admin' } });
  });

  test('merges lists by their keys', async () => {
    await policy(
      'p',
      [
        apply(
          'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "side", image: "proxy"}]}}}}',
        ),
      ],
      {},
      'apps/deployments',
    );
    const { body, message } = await call('POST', '/apis/apps/v1/namespaces/default/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'i' }] } },
      },
    });
    expect(message).toBeUndefined();
    expect(body.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'main' }, { name: 'side', terminationMessagePolicy: 'File' }] } },
    });
  });

  test('patches, with values and keys it computed, unless a test fails', async () => {
    await policy(
      'p',
      [
        patch(
          '[JSONPatch{op: "test", path: "/data/x", value: "1"}, JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a.b"), value: string(variables.size)}]',
        ),
      ],
      { variables: [{ name: 'size', expression: 'object.data.size()' }] },
    );
    expect((await configMap('a')).body.data).toEqual({ x: '1', 'a.b': '1' });
    expect((await configMap('b', { x: '2' })).body.data).toEqual({ x: '2' });
  });

  test('sees what those before it did, and is asked again if it wants to when others come later', async () => {
    const count = (key: string) =>
      patch(`[JSONPatch{op: "add", path: "/data/${key}", value: string(object.data.size())}]`);
    await policy('a', [count('a')], { reinvocationPolicy: 'IfNeeded' });
    await policy('b', [count('b'), count('c')]);
    expect((await configMap('x')).body.data).toEqual({ x: '1', a: '4', b: '2', c: '3' });
  });

  test('refuses the request when it fails, unless it ignores failures', async () => {
    await policy('p', [patch('[JSONPatch{op: "remove", path: "/data/none"}]')]);
    const { code, message, body } = await configMap('a');
    expect(code).toBe(403);
    expect(message).toBe(
      "policy 'p' with binding 'p' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    );
    expect(body.reason).toBe('Invalid');
    await call('PATCH', `${group}/mutatingadmissionpolicies/p`, { spec: { failurePolicy: 'Ignore' } });
    expect((await configMap('a')).code).toBe(201);
  });

  test('may not set a part of what is only ever whole', async () => {
    await policy(
      'p',
      [apply('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}')],
      {},
      'apps/deployments',
    );
    const { message } = await call('POST', '/apis/apps/v1/namespaces/default/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'i' }] } },
      },
    });
    expect(message).toContain('may not mutate atomic arrays, maps or structs: .spec.selector');
  });

  test('names the type whose name is not the path of its field', async () => {
    await policy('p', [apply('Object{metadata: Object.spec{labels: {"a": "b"}}}')]);
    expect((await configMap('a')).message).toContain(
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata"',
    );
  });
});

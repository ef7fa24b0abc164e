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

async function call(method: string, path: string, body?: Json, user = admin) {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const request = { method, path, query: new URLSearchParams(), headers, user };
  const response = await api.handle({ ...request, ...(body ? { body } : {}) });
  const object = (response.type === 'object' ? response.object : {}) as Json;
  return { code: response.code, body: object, message: object.message, warnings: response.headers?.warning };
}

async function policy(spec: Json, binding: Json = {}): Promise<void> {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
  ];
  const created = await call('POST', `${group}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
  expect(created.code, created.message as string).toBe(201);
  const bound = await call('POST', `${group}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  });
  expect(bound.code, bound.message as string).toBe(201);
}

const configMap = (name: string, data: Json = {}, namespace = 'default') =>
  call('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });
const denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

describe('a validating policy', () => {
  test('refuses what breaks a rule, in the words of the rule', async () => {
    await policy({
      variables: [{ name: 'keys', expression: 'object.data.size()' }],
      validations: [
        {
          expression: 'variables.keys <= 1',
          messageExpression: '"has " + string(variables.keys) + " keys"',
          reason: 'Forbidden',
        },
        { expression: '!("secret" in object.data)', message: 'no secrets' },
        { expression: '!("odd" in object.data)' },
      ],
    });
    expect((await configMap('a', { x: '1' })).code).toBe(201);
    const { code, message, body } = await configMap('b', { x: '1', y: '2' });
    expect(code).toBe(403);
    expect(message).toBe(`configmaps "b" is forbidden: ${denied}has 2 keys`);
    expect(body.details).toMatchObject({ causes: [{ message: `${denied}has 2 keys` }] });
    expect(await configMap('c', { secret: '1' })).toMatchObject({
      code: 422,
      message: `configmaps "c" is forbidden: ${denied}no secrets`,
    });
    expect((await configMap('d', { odd: '1' })).message).toContain('failed expression: !("odd" in object.data)');
  });

  test('does nothing until it is bound, and only where it is bound', async () => {
    const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } };
    await policy({ validations: [{ expression: 'false' }] }, { matchResources });
    expect((await configMap('a')).code).toBe(201);
    await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    expect((await configMap('a', {}, 'other')).code).toBe(422);
    await call('DELETE', `${group}/validatingadmissionpolicybindings/b`);
    expect((await configMap('a', {}, 'other')).code).toBe(201);
  });

  test('may warn instead of refusing', async () => {
    await policy({ validations: [{ expression: 'false', message: 'hm' }] }, { validationActions: ['Warn', 'Audit'] });
    const { code, warnings } = await configMap('a');
    expect(code).toBe(201);
    expect(warnings).toEqual([`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm"`]);
  });

  test('refuses what it cannot evaluate, unless it ignores failures', async () => {
    const validations = [{ expression: 'object.data.missing == "x"' }];
    await policy({ validations });
    expect((await configMap('a')).message).toContain(
      `${denied}expression 'object.data.missing == "x"' resulted in error: no such key: data`,
    );
    await call('PATCH', `${group}/validatingadmissionpolicies/p`, { spec: { failurePolicy: 'Ignore' } });
    expect((await configMap('a')).code).toBe(201);
  });

  test('is skipped where its conditions do not hold, and sees old objects and deletes', async () => {
    await policy({
      matchConditions: [{ name: 'not-root', expression: 'request.userInfo.username != "root"' }],
      validations: [{ expression: 'request.operation != "DELETE" || !has(oldObject.data)', message: 'not empty' }],
    });
    await configMap('a', { x: '1' });
    const path = '/api/v1/namespaces/default/configmaps/a';
    expect((await call('DELETE', path)).message).toContain('not empty');
    expect((await call('DELETE', path, undefined, { ...admin, name: 'root' })).code).toBe(200);
  });

  test('checks what a user may do, and reads the namespace', async () => {
    await policy({
      validations: [
        {
          expression:
            'authorizer.group("").resource("secrets").namespace(request.namespace).check("get").allowed() && namespaceObject.metadata.name == "default"',
        },
      ],
    });
    expect((await configMap('a')).code).toBe(201);
  });

  test('takes parameters from objects, and refuses when it finds none', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'], operations: ['CREATE'] }],
      },
      validations: [{ expression: 'object.metadata.name.startsWith(params.data.prefix)', message: 'wrong name' }],
    };
    await policy(spec, { paramRef: { name: 'naming', parameterNotFoundAction: 'Deny' } });
    const secret = (name: string) =>
      call('POST', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    expect((await secret('team-a')).message).toContain(
      `${denied}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    await configMap('naming', { prefix: 'team-' });
    expect((await secret('team-a')).code).toBe(201);
    expect((await secret('a')).message).toContain('wrong name');
  });

  test('leaves out what its exclusions name', async () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };
    await policy({
      matchConstraints: { resourceRules: [rule], excludeResourceRules: [{ ...rule, resourceNames: ['free'] }] },
      validations: [{ expression: 'false' }],
    });
    expect((await configMap('free')).code).toBe(201);
    expect((await configMap('bound')).code).toBe(422);
  });

  test('cannot keep users from changing policies', async () => {
    await policy({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }],
      },
      validations: [{ expression: 'false' }],
    });
    expect((await call('DELETE', `${group}/validatingadmissionpolicies/p`)).code).toBe(200);
  });
});

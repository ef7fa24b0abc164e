import { describe, expect, it } from 'vitest';
import { TestServer } from '../../test-support.ts';

const group = '/apis/authorization.k8s.io/v1';
const both = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';

describe('an access review', () => {
  it.each<[string, object, string[]]>([
    ['SelfSubjectAccessReview', {}, [`spec.resourceAttributes: Invalid value: null: ${both}`]],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/x' } },
      [
        'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes',
      ],
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { verb: 'get', fieldSelector: {} } },
      [
        'spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
      ],
    ],
    [
      'SubjectAccessReview',
      {},
      [
        `spec.resourceAttributes: Invalid value: null: ${both}`,
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      ],
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'u', nonResourceAttributes: { path: '/x' } },
      ['spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: disallowed on this kind of request'],
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'u', resourceAttributes: { verb: 'get', namespace: 'other' } },
      ['spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace'],
    ],
  ])('of kind %s tells every error at once: %j', async (kind, spec, violations) => {
    await using server = await TestServer.start();
    const path = `${group}${kind.startsWith('Local') ? '/namespaces/default' : ''}/${kind.toLowerCase()}s`;
    const { code, object } = await server.send('POST', path, { apiVersion: 'authorization.k8s.io/v1', kind, spec });
    const list = violations.length === 1 ? violations[0] : `[${violations.join(', ')}]`;
    expect({ code, message: object.message }).toEqual({
      code: 422,
      message: `.authorization.k8s.io "" is invalid: ${list}`,
    });
  });
});

describe('a review as a Table', () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  };

  it('does not exist', async () => {
    await using server = await TestServer.start();
    const refused = await server.send('POST', `${group}/selfsubjectaccessreviews`, body, { headers: { accept } });
    expect(refused).toMatchObject({ code: 406, object: { reason: 'NotAcceptable' } });
  });

  it('is an object for clients that take that, too', async () => {
    await using server = await TestServer.start();
    const headers = { accept: `${accept},application/json` };
    const review = await server.ok('POST', `${group}/selfsubjectaccessreviews`, body, { headers });
    expect(review).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
  });
});

describe('a list of one object by its name', () => {
  it('is allowed to who may list that object alone', async () => {
    await using server = await TestServer.start();
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const api = { apiVersion: 'rbac.authorization.k8s.io/v1' };
    const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['s'], verbs: ['list'] }];
    await server.ok('POST', `${rbac}/roles`, { ...api, kind: 'Role', metadata: { name: 'r' }, rules });
    await server.ok('POST', `${rbac}/rolebindings`, {
      ...api,
      kind: 'RoleBinding',
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    const jane = { user: { name: 'jane', groups: ['system:authenticated'] } };
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await server.send('GET', secrets, undefined, jane)).code).toBe(403);
    expect((await server.send('GET', `${secrets}?fieldSelector=metadata.name%3Ds`, undefined, jane)).code).toBe(200);
    const other = await server.send('GET', `${secrets}?fieldSelector=metadata.name%3Dt`, undefined, jane);
    expect(other.object.message).toMatch(/^secrets "t" is forbidden/);
  });
});

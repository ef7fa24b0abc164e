import type { Operation } from '../operation.ts';
import type { Sequence } from '../run-sequence.ts';
import type { Choice } from './choice.ts';

const group = 'rbac.authorization.k8s.io';
const root = `/apis/${group}/v1/namespaces/{{ns}}`;
const users = ['jane', 'joe', 'system:serviceaccount:{{ns}}:robot', 'system:anonymous'];
const resources = [
  'configmaps',
  'secrets',
  'pods',
  'pods/log',
  'pods/exec',
  'roles',
  'rolebindings',
  'deployments',
  'deployments/scale',
  '*',
  'pods/*',
  '*/scale',
];
const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'bind',
  'escalate',
  'impersonate',
  '*',
];
const groups = ['', 'apps', group, '*', 'authentication.k8s.io'];

/** Roles of random shape, requests of the users that they are bound to, and reviews about them. */
export function access(choice: Choice): Sequence {
  const operations: Operation[] = [
    createRole(choice, 'one'),
    createBinding(choice, 'one'),
    createRole(choice, 'two'),
    createBinding(choice, 'two'),
  ];
  for (let count = 6 + choice.below(12); count > 0; count--)
    operations.push(
      choice.pick([request, request, review, review, selfReview, rulesReview, escalate, escalate])(choice),
    );
  return { name: 'RBAC', operations };
}

function rule(choice: Choice): Record<string, unknown> {
  if (choice.chance(0.04)) return { nonResourceURLs: ['/healthz'], verbs: ['get'] };
  return {
    apiGroups: choice.some(groups, 0.4),
    resources: choice.some(resources, 0.3),
    verbs: choice.some(verbs, 0.35),
    ...(choice.chance(0.25) ? { resourceNames: choice.some(['a', 'b'], 0.7) } : {}),
  };
}

function role(choice: Choice, name: string): Record<string, unknown> {
  const rules = [rule(choice), ...choice.times(2, () => rule(choice))];
  return { apiVersion: `${group}/v1`, kind: 'Role', metadata: { name }, rules };
}

function binding(choice: Choice, name: string): Record<string, unknown> {
  const subject = choice.pick([
    { kind: 'User', apiGroup: group, name: choice.pick(users) },
    { kind: 'User', apiGroup: group, name: 'jane' },
    { kind: 'Group', apiGroup: group, name: 'system:authenticated' },
    { kind: 'ServiceAccount', name: 'robot', namespace: '{{ns}}' },
    { kind: 'ServiceAccount', name: 'robot' },
    { kind: 'x', name: '' },
  ]);
  const roleRef = choice.chance(0.8)
    ? { apiGroup: group, kind: 'Role', name: choice.pick(['one', 'two', 'nothing']) }
    : {
        apiGroup: group,
        kind: 'ClusterRole',
        name: choice.pick(['view', 'edit', 'admin', 'nothing', 'cluster-admin']),
      };
  return { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata: { name }, roleRef, subjects: [subject] };
}

function createRole(choice: Choice, name: string): Operation {
  return { method: 'POST', path: `${root}/roles`, body: role(choice, name) };
}

function createBinding(choice: Choice, name: string): Operation {
  return { method: 'POST', path: `${root}/rolebindings`, body: binding(choice, name) };
}

/** A user writes roles and bindings: what it does not hold it may not give. */
function escalate(choice: Choice): Operation {
  const user = choice.pick(users);
  const name = choice.pick(['one', 'two', 'three']);
  const isRole = choice.chance(0.5);
  const body = isRole ? role(choice, name) : binding(choice, name);
  const path = `${root}/${isRole ? 'roles' : 'rolebindings'}`;
  return choice.chance(0.6)
    ? { method: 'POST', path, body, user }
    : { method: 'PUT', path: `${path}/${name}`, body, user };
}

function request(choice: Choice): Operation {
  const user = choice.pick(users);
  const path = choice.pick([
    '/api/v1/namespaces/{{ns}}/configmaps',
    '/api/v1/namespaces/{{ns}}/secrets',
    '/api/v1/namespaces/{{ns}}/pods',
    '/apis/apps/v1/namespaces/{{ns}}/deployments',
    '/api/v1/namespaces',
    '/api/v1/nodes',
  ]);
  return choice.pick<Operation>([
    { method: 'GET', path: `${path}/a`, user },
    { method: 'GET', path: `${path}?limit=1&labelSelector=none`, user },
    { method: 'GET', path: `${path}?fieldSelector=metadata.name%3Da&labelSelector=none`, user },
    { method: 'DELETE', path: `${path}/a`, user },
    { method: 'POST', path: '/api/v1/namespaces/{{ns}}/configmaps', body: { metadata: { name: 'a' } }, user },
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/{{ns}}/configmaps/a',
      contentType: 'application/merge-patch+json',
      body: { data: { a: 'b' } },
      user,
    },
    {
      method: 'GET',
      path: choice.pick(['/healthz', '/version', '/api', '/apis/apps/v1', '/metrics', '/nothing']),
      user,
    },
  ]);
}

function review(choice: Choice): Operation {
  const user = choice.pick([...users, '']);
  const spec = {
    ...(choice.chance(0.95) ? { user } : {}),
    ...(choice.chance(0.3) ? { groups: choice.some(['system:authenticated', 'system:masters', 'x'], 0.4) } : {}),
    ...attributes(choice),
  };
  return { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', body: { spec } };
}

function selfReview(choice: Choice): Operation {
  const path = choice.chance(0.5)
    ? '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    : '/apis/authorization.k8s.io/v1/namespaces/{{ns}}/localsubjectaccessreviews';
  return { method: 'POST', path, body: { spec: { user: 'jane', ...attributes(choice) } }, user: choice.pick(users) };
}

function rulesReview(choice: Choice): Operation {
  const body = { spec: choice.pick([{ namespace: '{{ns}}' }, {}]) };
  return {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    body,
    user: choice.pick(users),
  };
}

function attributes(choice: Choice): Record<string, unknown> {
  if (choice.chance(0.15))
    return {
      nonResourceAttributes: { path: choice.pick(['/healthz', '/x', '']), verb: choice.pick(['get', 'post', '']) },
    };
  if (choice.chance(0.05)) return {};
  return {
    resourceAttributes: {
      ...(choice.chance(0.8) ? { namespace: '{{ns}}' } : {}),
      verb: choice.pick(verbs),
      group: choice.pick(groups),
      resource: choice.pick(resources).split('/')[0],
      ...(choice.chance(0.2) ? { subresource: choice.pick(['log', 'scale', 'x']) } : {}),
      ...(choice.chance(0.3) ? { name: choice.pick(['a', 'b', 'c']) } : {}),
      ...(choice.chance(0.1) ? { version: 'v1' } : {}),
      ...(choice.chance(0.1)
        ? {
            fieldSelector: choice.pick([
              { rawSelector: 'metadata.name=a' },
              { requirements: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
              { rawSelector: 'a=b', requirements: [] },
            ]),
          }
        : {}),
    },
  };
}

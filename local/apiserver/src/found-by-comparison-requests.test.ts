import { describe, expect, it } from 'vitest';
import {
  apply,
  compareSteps,
  configMap,
  coreV1,
  crd,
  crds,
  message,
  type Step,
  version,
  widget,
} from './comparison-steps.cases.ts';
import { TestServer } from './test-support.ts';

const namespacedWidgets: readonly Step[] = [
  {
    send: ['POST', crds, crd('widgets.example.com', { scope: 'Namespaced', versions: [version('v1')] })],
    code: 201,
  },
  { send: ['GET', '/apis/example.com/v1/widgets'], code: 200, again: true },
];
const otherNamespace = message('the namespace of the provided object does not match the namespace sent on the request');
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } };
const token = `${coreV1}/serviceaccounts/a/token`;
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    ...spec,
  },
});
const scaleTo = (replicas: number, code = 200): Step => ({
  send: [
    'PUT',
    `${deployments}/a/scale?fieldManager=s`,
    { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas } },
  ],
  code,
});
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const role = (rules: readonly object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'a' },
  rules,
});
const managers = (...names: string[]) => ({ metadata: { managedFields: names.map((manager) => ({ manager })) } });

describe('as a real server answers requests,', () => {
  compareSteps({
    'objects of the cluster with fields of their own are not selected by a namespace': [
      ...['nodes', 'namespaces'].map(
        (plural): Step => ({
          send: ['GET', `/api/v1/${plural}?fieldSelector=metadata.namespace%3Dx`],
          code: 400,
          answer: message('field label not supported: metadata.namespace'),
        }),
      ),
      { send: ['GET', '/api/v1/persistentvolumes?fieldSelector=metadata.namespace%3Dx'], code: 200 },
    ],
    'a strategy that a DaemonSet does not use has all numbers': [
      {
        send: [
          'POST',
          '/apis/apps/v1/namespaces/default/daemonsets',
          {
            apiVersion: 'apps/v1',
            kind: 'DaemonSet',
            metadata: { name: 'a' },
            spec: {
              updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: '10%' } },
              selector: { matchLabels: { app: 'a' } },
              template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
            },
          },
        ],
        code: 201,
        answer: {
          spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } } },
        },
      },
    ],
    'an update in a wrong namespace is a bad request, whether or not the object is there': [
      {
        send: ['PUT', `${coreV1}/configmaps/a`, configMap({ name: 'b', namespace: 'other' })],
        code: 400,
        answer: otherNamespace,
      },
    ],
    'objects are created in a namespace': [
      { send: ['POST', '/api/v1/configmaps', configMap({ name: 'a', namespace: 'default' })], code: 405 },
    ],
    'the collection of custom resources of all namespaces is only read': [
      ...namespacedWidgets,
      { send: ['POST', '/apis/example.com/v1/widgets', widget({ name: 'a' })], code: 404 },
      { send: ['DELETE', '/apis/example.com/v1/widgets'], code: 404 },
      { send: ['GET', '/apis/example.com/v1/widgets'], code: 200 },
    ],
    'media types of watches are on offer where there are collections of built-in kinds': [
      {
        send: ['GET', `${coreV1}/configmaps`],
        accept: 'text/html',
        code: 406,
        answer: message('application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'),
      },
    ],
    'custom resources know any type of application, and refuse others in the words of the serializer': [
      ...namespacedWidgets,
      { send: ['GET', '/apis/example.com/v1/widgets'], accept: 'application/*', code: 200 },
      {
        send: ['GET', '/apis/example.com/v1/widgets'],
        accept: 'text/html',
        code: 406,
        answer: message('only the following media types are accepted: application/json'),
      },
    ],
    'an object is no list, which custom resources say in other words': [
      ...namespacedWidgets,
      { send: ['POST', '/apis/example.com/v1/namespaces/default/widgets', widget({ name: 'a' })], code: 201 },
      {
        send: ['GET', '/apis/example.com/v1/namespaces/default/widgets/a'],
        accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        code: 500,
        answer: { message: 'content is not a list' },
      },
    ],
    'a resourceVersion beyond 64 bits is none': [
      {
        send: ['GET', `${coreV1}/configmaps?resourceVersion=99999999999999999999`],
        code: 400,
        answer: message('strconv.ParseUint: parsing "99999999999999999999": value out of range'),
      },
    ],
    'a request for a token names the account of its path': [
      { send: ['POST', `${coreV1}/serviceaccounts`, account], code: 201 },
      {
        send: ['POST', token, { metadata: { name: 'b' }, spec: {} }],
        code: 422,
        answer: message('metadata.name: Invalid value: "b": must match the service account name if specified'),
      },
      { send: ['POST', token, { metadata: { namespace: 'b' }, spec: {} }], code: 400, answer: otherNamespace },
    ],
    'a token may be bound to a Pod without its apiVersion': [
      { send: ['POST', `${coreV1}/serviceaccounts`, account], code: 201 },
      {
        send: ['POST', token, { spec: { boundObjectRef: { kind: 'Pod', name: 'none' } } }],
        code: 404,
        answer: message('pods "none" not found'),
      },
    ],
    'an update of a role lists the rules of its metadata before and after those of its content': [
      { send: ['POST', roles, role([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }])], code: 201 },
      {
        send: [
          'PATCH',
          `${roles}/a`,
          {
            metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' },
            rules: [{ apiGroups: [''], resources: ['pods'] }],
          },
        ],
        as: 'merge-patch+json',
        code: 422,
        answer: {
          details: {
            causes: ['metadata.deletionTimestamp', 'rules[0].verbs', 'metadata.deletionTimestamp'].map((field) => ({
              field,
            })),
          },
        },
      },
    ],
    'a Service that is created through its status has no address': [
      apply(
        `${coreV1}/services/a/status?fieldManager=m`,
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
        201,
        { spec: expect.not.objectContaining({ clusterIP: expect.anything() }) },
      ),
    ],
    'a dry run of an apply shows the version it came with': [
      apply(`${coreV1}/configmaps/a?fieldManager=m&dryRun=All`, configMap({ name: 'a', resourceVersion: '0' }), 201, {
        metadata: { resourceVersion: '0' },
      }),
    ],
    'the first error of a patched map is that of its first key': [
      { send: ['POST', `${coreV1}/configmaps`, configMap({ name: 'a' })], code: 201 },
      {
        send: ['PATCH', `${coreV1}/configmaps/a`, { binaryData: { b: 'AAAA!', a: '!' } }],
        as: 'merge-patch+json',
        code: 422,
        answer: message('illegal base64 data at input byte 0'),
      },
    ],
    'a resource is not deprecated to those who want a media type that is not served': [
      {
        send: ['GET', `${coreV1}/endpoints/a`],
        accept: 'text/html',
        code: 406,
        headers: expect.not.objectContaining({ warning: expect.anything() }),
      },
    ],
    'a path that leads upwards is refused once': [
      {
        send: [
          'POST',
          `${coreV1}/podtemplates`,
          {
            apiVersion: 'v1',
            kind: 'PodTemplate',
            metadata: { name: 'a' },
            template: {
              spec: {
                containers: [{ name: 'a', image: 'a' }],
                volumes: [
                  { name: 'v', downwardAPI: { items: [{ path: '../x', fieldRef: { fieldPath: 'metadata.name' } }] } },
                ],
              },
            },
          },
        ],
        code: 422,
        answer: { details: { causes: [{ message: 'Invalid value: "../x": must not contain \'..\'' }] } },
      },
    ],
    'replicas that no manager owns stay so, whoever scales': [
      apply(`${deployments}/a?fieldManager=m`, deployment({ replicas: 2 }), 201),
      scaleTo(0),
      scaleTo(3),
      { send: ['GET', `${deployments}/a`], code: 200, answer: managers('m') },
    ],
    'a scale that changes nothing moves the replicas of an update to an entry of their own': [
      { send: ['POST', `${deployments}?fieldManager=m`, deployment({ replicas: 2 })], code: 201 },
      scaleTo(2),
      { send: ['GET', `${deployments}/a`], code: 200, answer: managers('m', 'm') },
    ],
    'the first apply of a Node without content claims nothing': [
      { send: ['POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }], code: 201 },
      { send: ['PATCH', '/api/v1/nodes/a', { spec: { taints: null } }], as: 'merge-patch+json', code: 200 },
      apply('/api/v1/nodes/a', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', labels: { a: 'b' } } }, 200, {
        metadata: { managedFields: [{ manager: 'm' }] },
      }),
    ],
  });

  it('a binding to a role that is not there is refused before it is validated', async () => {
    await using server = await TestServer.start();
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['create'] }];
    await server.ok('POST', roles, role(rules));
    const binding = (subjects: readonly object[], name: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'a' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects,
    });
    const bindings = roles.replace('/roles', '/rolebindings');
    const subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' };
    await server.ok('POST', bindings, binding([subject], 'a'));
    const user = { name: 'jane', groups: ['system:authenticated'] };
    const answer = await server.send('POST', bindings, binding([{}], 'none'), { user });
    expect(answer).toMatchObject({ code: 404, object: message('"none" not found') });
  });

  it.each([
    ['system:serviceaccount:default:robot', ['system:serviceaccounts', 'system:serviceaccounts:default']],
    ['system:serviceaccount:Default:robot', []],
    ['system:node:a', ['system:nodes']],
    ['system:node:A', []],
  ])('who is impersonated as %s is in the groups of such, if the name can be one', async (user, groups) => {
    await using server = await TestServer.start();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const answer = await server.ok('POST', path, review, { headers: { 'impersonate-user': user } });
    expect(answer).toMatchObject({ status: { userInfo: { groups: [...groups, 'system:authenticated'] } } });
  });

  it('errors are in YAML for those who want that', async () => {
    await using server = await TestServer.start();
    for (const [accept, media] of [
      ['application/yaml', 'yaml'],
      ['application/json, application/yaml', 'json'],
      ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'json'],
    ] as const)
      expect(await server.handle('GET', `${coreV1}/configmaps/none`, undefined, { headers: { accept } })).toMatchObject(
        {
          code: 404,
          media,
        },
      );
  });
});

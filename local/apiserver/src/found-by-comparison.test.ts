import { describe, expect, it } from 'vitest';
import {
  apply,
  compareSteps,
  configMap,
  coreV1 as core,
  crd,
  crds,
  message,
  type Step,
  version,
} from './comparison-steps.cases.ts';
import { TestServer } from './test-support.ts';

const account = (fields: object) => ({ apiVersion: 'v1', kind: 'ServiceAccount', ...fields });

const cases: Readonly<Record<string, readonly Step[]>> = {
  'an applied configuration without a name creates nothing': [
    apply(
      `${core}/configmaps/a`,
      configMap({}),
      400,
      message('(a based on URL) was undeterminable: name must be provided'),
    ),
  ],
  'an applied configuration without a name changes the object of the path': [
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'a' })], code: 201 },
    apply(`${core}/configmaps/a`, configMap({}, { data: { b: '1' } }), 200, { data: { b: '1' } }),
  ],
  'the name of an applied configuration is checked after conflicts': [
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'a' }, { data: { b: '1' } })], code: 201 },
    apply(`${core}/configmaps/a`, configMap({ name: 'other' }, { data: { b: '2' } }), 409),
  ],
  'conflicts list the fields of an object before those inside of its fields': [
    {
      send: ['POST', `${core}/configmaps`, configMap({ name: 'a' }, { data: { b: '1' }, immutable: false })],
      code: 201,
    },
    apply(`${core}/configmaps/a`, configMap({}, { data: { b: '2' }, immutable: true }), 409, {
      details: {
        causes: [{ field: '.immutable' }, { field: '.data.b' }].map((cause) => expect.objectContaining(cause)),
      },
    }),
  ],
  'values that do not convert are errors of the conversion, with the name that the configuration has': [
    apply(
      `${core}/configmaps/a`,
      configMap({}, { binaryData: { b: '?' } }),
      500,
      message(
        'failed to convert new object (/; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
      ),
    ),
  ],
  'a list where a time belongs is an error of the type': [
    apply(
      `${core}/podtemplates/a`,
      { apiVersion: 'v1', kind: 'PodTemplate', template: { metadata: { deletionTimestamp: [] } } },
      500,
      message('.template.metadata.deletionTimestamp: expected any scalar, got &{[]}'),
    ),
  ],
  'an object where a quantity belongs is an error of the type': [
    apply(
      `${core}/resourcequotas/a`,
      { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { pods: {} } } },
      500,
      message('.spec.hard.pods: expected any scalar, got &{map[]}'),
    ),
  ],
  'an absent key of a built-in list is empty where Go always prints it, and an error where not': [
    apply(
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets/a',
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a' }, status: { conditions: [{}] } },
      201,
    ),
    apply(
      `${core}/serviceaccounts/a`,
      account({ metadata: { name: 'a' }, secrets: [{}] }),
      500,
      message('element 0: associative list'),
    ),
  ],
  'whole numbers that are too large for their field are cut when applied': [
    apply(
      '/apis/apps/v1/namespaces/default/deployments/a',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: -2147483649 } },
      422,
      { message: expect.not.stringContaining('replicas') },
    ),
  ],
  'a resourceVersion that is no number is none for a create, and an error for an update': [
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'a', resourceVersion: 'x' })], code: 201 },
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'a', resourceVersion: 'x' })], code: 409 },
    apply(
      `${core}/configmaps/b`,
      configMap({ name: 'b', resourceVersion: 'x' }),
      500,
      message('strconv.ParseUint: parsing "x"'),
    ),
  ],
  'a new object is validated before its resourceVersion is refused': [
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'A', resourceVersion: '1' })], code: 422 },
  ],
  'an empty list of managedFields clears them in an update, too': [
    { send: ['POST', `${core}/configmaps`, configMap({ name: 'a' }, { data: { b: '1' } })], code: 201 },
    {
      send: ['PUT', `${core}/configmaps/a`, configMap({ name: 'a', managedFields: [] }, { data: { b: '1' } })],
      code: 200,
      answer: { metadata: expect.not.objectContaining({ managedFields: expect.anything() }) },
    },
  ],
  'a patch of an object that is not there is not read': [
    { send: ['PATCH', `${core}/configmaps/a`, []], as: 'merge-patch+json', code: 404 },
  ],
  'an update by uid of an object that is not there is a conflict, also where updates create': [
    {
      send: [
        'PUT',
        `${core}/limitranges/a`,
        { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a', uid: 'u' } },
      ],
      code: 409,
      answer: message('Precondition failed: UID in precondition: u, UID in object meta: '),
    },
  ],
  'absent bytes are stored as empty ones': [
    {
      send: ['POST', `${core}/configmaps`, configMap({ name: 'a' }, { binaryData: { b: null } })],
      code: 201,
      answer: { binaryData: { b: '' } },
    },
  ],
  'a list of metadata without items has none': [
    {
      send: ['GET', `${core}/configmaps?labelSelector=nothing`],
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      code: 200,
      answer: { items: null },
    },
  ],
  'unknown fields of a review are warned of, or refused where the request is strict': [
    {
      send: [
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldValidation=Strict',
        { spec: { user: 'jane', resourceAttributes: {} } },
      ],
      code: 400,
      answer: message('strict decoding error: unknown field "spec.user"'),
    },
  ],
  'a definition with a wrong name and a wrong version has each cause once, in upstream’s order': [
    {
      send: ['POST', crds, crd('Widgets', { versions: [version('v1.2')] })],
      code: 422,
      answer: {
        details: {
          causes: ['metadata.name', 'metadata.name', 'spec.versions[0].name', 'spec.version'].map((field) =>
            expect.objectContaining({ field }),
          ),
        },
      },
    },
  ],
  'a version that stands twice in a definition is stored once': [
    {
      send: [
        'POST',
        crds,
        crd('widgets.example.com', { versions: [{ ...version('v1'), storage: false }, version('v1')] }),
      ],
      code: 422,
      answer: message('status.storedVersions: Invalid value: ["v1"]: must have the storage version v1'),
    },
  ],
  'a default that is an empty list is kept': [
    {
      send: [
        'POST',
        crds,
        crd('widgets.example.com', {
          versions: [
            version('v1', {
              type: 'object',
              properties: { spec: { type: 'array', items: { type: 'string' }, default: [] } },
            }),
          ],
        }),
      ],
      code: 201,
      answer: { spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: { default: [] } } } } }] } },
    },
  ],
  'the default of a whole object has a kind': [
    {
      send: ['POST', crds, crd('widgets.example.com', { versions: [version('v1', { type: 'object', default: {} })] })],
      code: 422,
      answer: message('openAPIV3Schema.default.apiVersion: Required value'),
    },
  ],
};

describe('as a real server,', () => {
  compareSteps(cases);

  it('a service account without a namespace in a binding is one of the binding’s namespace', async () => {
    await using server = await TestServer.start();
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const named = (kind: string, fields: object) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'a' },
      ...fields,
    });
    await server.ok(
      'POST',
      `${rbac}/roles`,
      named('Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] }),
    );
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };
    await server.ok(
      'POST',
      `${rbac}/rolebindings`,
      named('RoleBinding', { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'robot' }] }),
    );
    const user = { name: 'system:serviceaccount:default:robot', groups: [] };
    expect((await server.send('GET', `${core}/pods`, undefined, { user })).code).toBe(200);
    const stranger = { name: 'system:serviceaccount:other:robot', groups: [] };
    expect((await server.send('GET', `${core}/pods`, undefined, { user: stranger })).code).toBe(403);
  });

  it.each(['PUT', 'PATCH'])('a user who may update and not create cannot create by %s', async (method) => {
    await using server = await TestServer.start();
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['update', 'patch'] }];
    await server.ok('POST', `${rbac}/roles`, { apiVersion, kind: 'Role', metadata: { name: 'a' }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'joe' }];
    const binding = { apiVersion, kind: 'RoleBinding', metadata: { name: 'a' }, roleRef, subjects };
    await server.ok('POST', `${rbac}/rolebindings`, binding);
    const user = { name: 'joe', groups: ['system:authenticated'] };
    const headers = { 'content-type': method === 'PUT' ? 'application/json' : 'application/apply-patch+yaml' };
    const body = { ...binding, metadata: { name: 'b' } };
    const answer = await server.send(method, `${rbac}/rolebindings/b?fieldManager=m`, body, { user, headers });
    expect(answer).toMatchObject({
      code: 403,
      object: { message: expect.stringContaining('User "joe" cannot create resource "rolebindings"') },
    });
    expect((await server.send('GET', `${rbac}/rolebindings/b`)).code).toBe(404);
  });
});

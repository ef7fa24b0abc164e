import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type KubeObject, systemClock } from '@tektite/meta';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { AuditPolicy } from '../../audit/audit-policy.ts';
import type { UserInfo } from '../../request/api-request.ts';
import { ApiServer } from '../../server.ts';

type Json = Record<string, unknown>;
type Answer = { readonly code?: number; readonly body: unknown; readonly delay?: boolean };
type Handler = (review: { readonly request: Json & { uid: string } }, path: string) => Answer;

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const patchOf = (...operations: Json[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

let authority: KeyPair;
let certificate: KeyPair;
let api: ApiServer;
let webhook: Server;
let base: string;
let handler: Handler;
let received: { readonly path: string; readonly review: { readonly request: Json } }[];

beforeAll(async () => {
  authority = await createAuthority('webhooks', systemClock);
  certificate = await issueCertificate(
    authority,
    { commonName: 'hook', hosts: ['127.0.0.1', 'hook.team.svc'] },
    systemClock,
  );
});

beforeEach(async () => {
  api = await ApiServer.create({ disabledAdmissionPlugins: ['ServiceAccount'] });
  received = [];
  webhook = createServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: Json & { uid: string } };
      received.push({ path: request.url ?? '', review });
      const { code = 200, body, delay } = handler(review, request.url ?? '');
      if (delay) return;
      response.writeHead(code, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    webhook.listen(0, '127.0.0.1', resolve);
  });
  base = `https://127.0.0.1:${(webhook.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await api.close();
  webhook.closeAllConnections();
  await new Promise((resolve) => {
    webhook.close(resolve);
  });
});

const allow =
  (response: Json = {}): Handler =>
  ({ request }) => ({
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: true, ...response },
    },
  });

async function call(method: string, path: string, body?: Json, headers: Record<string, string> = {}) {
  const [pathname = '', query = ''] = path.split('?');
  const response = await api.handle({
    method,
    path: pathname,
    query: new URLSearchParams(query),
    headers: { 'user-agent': 'test', ...headers },
    user: admin,
    ...(body ? { body } : {}),
  });
  return {
    code: response.code,
    body: (response.type === 'object' ? response.object : {}) as Json & {
      message?: string;
      data?: Json;
      metadata: Json;
    },
    warnings: response.headers?.warning,
  };
}

const configMap = (name: string, more: Json = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
});
const configMaps = '/api/v1/namespaces/default/configmaps';
const createConfigMap = (name = 'a', more: Json = {}) => call('POST', configMaps, configMap(name, more));

async function configure(kind: 'Mutating' | 'Validating', webhooks: Json[], name = 'test'): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }];
  const answer = await call(
    'POST',
    `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: webhooks.map((webhook) => ({
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
        clientConfig: { url: `${base}/${webhook.name as string}`, caBundle: bundle() },
        rules,
        ...webhook,
      })),
    },
  );
  expect(answer.code, answer.body.message).toBe(201);
}

const bundle = () => Buffer.from(authority.certificate).toString('base64');

describe('validating webhooks', () => {
  test('see the object as it is about to be stored, and who asks', async () => {
    handler = allow();
    await configure('Validating', [{ name: 'look.example.com' }]);
    expect((await createConfigMap()).code).toBe(201);
    const [{ path, review } = { path: '', review: { request: {} } }] = received;
    expect(path).toBe('/look.example.com?timeout=5s');
    expect(review.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: admin.groups },
      object: { metadata: { name: 'a', uid: expect.any(String) as string } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
  });

  test('refuse with their own message and code', async () => {
    handler = allow({ allowed: false, status: { message: 'not today', code: 418 } });
    await configure('Validating', [{ name: 'no.example.com' }]);
    const { code, body } = await createConfigMap();
    expect(code).toBe(418);
    expect(body.message).toBe('admission webhook "no.example.com" denied the request: not today');
    expect((await call('GET', `${configMaps}/a`)).code).toBe(404);
  });

  test('pass warnings on, also when they refuse', async () => {
    handler = allow({ allowed: false, warnings: ['careful'] });
    await configure('Validating', [{ name: 'no.example.com' }]);
    const { body, warnings } = await createConfigMap();
    expect(body.message).toBe('admission webhook "no.example.com" denied the request without explanation');
    expect(warnings).toEqual(['299 - "careful"']);
  });

  test('review connections to Pods, with the options of the connection', async () => {
    handler = ({ request }) => allow({ allowed: false, status: { message: 'no shells' } })({ request }, '');
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/*'], operations: ['CONNECT'] }];
    await configure('Validating', [{ name: 'look.example.com', rules }]);
    const path = '/api/v1/namespaces/default/pods/p';
    const refused = await call('POST', `${path}/exec?command=sh&command=-c&stdin=true&container=c`);
    expect(refused.body.message).toBe('admission webhook "look.example.com" denied the request: no shells');
    expect(received[0]?.review.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'exec',
      name: 'p',
      namespace: 'default',
      operation: 'CONNECT',
      object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'c', command: ['sh', '-c'] },
      oldObject: null,
      options: null,
    });
    for (const [subresource, kind] of [
      ['attach', 'PodAttachOptions'],
      ['portforward', 'PodPortForwardOptions'],
    ]) {
      expect((await call('POST', `${path}/${subresource}?stdin=true`)).code).toBe(400);
      expect(received.at(-1)?.review.request['object']).toMatchObject({ kind });
    }
  });

  test('review each object of a deletecollection, without its name', async () => {
    await createConfigMap('a', { metadata: { name: 'a', labels: { mine: 'yes' } } });
    await createConfigMap('b', { metadata: { name: 'b', labels: { mine: 'yes' } } });
    handler = allow();
    await configure('Validating', [{ name: 'look.example.com' }]);
    await call('DELETE', `${configMaps}?labelSelector=mine`);
    expect(received.map(({ review }) => review.request)).toMatchObject([
      { operation: 'DELETE', object: null, oldObject: { metadata: { name: 'a' } } },
      { operation: 'DELETE', object: null, oldObject: { metadata: { name: 'b' } } },
    ]);
    expect(received[0]?.review.request).not.toHaveProperty('name');
  });

  test('never see configurations of webhooks', async () => {
    handler = allow({ allowed: false });
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }];
    await configure('Validating', [{ name: 'lockout.example.com', rules }]);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/test';
    expect((await call('DELETE', path)).code).toBe(200);
    expect(received).toEqual([]);
  });

  test('are not called any more once their configuration is deleted', async () => {
    handler = allow({ allowed: false });
    await configure('Validating', [{ name: 'no.example.com' }]);
    await call('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/test');
    expect((await createConfigMap()).code).toBe(201);
  });

  test('see the version they ask for, whatever version is written', async () => {
    handler = allow();
    const rules = [
      {
        apiGroups: ['autoscaling'],
        apiVersions: ['v1'],
        resources: ['horizontalpodautoscalers'],
        operations: ['CREATE'],
      },
    ];
    await configure('Validating', [
      { name: 'any.example.com', rules },
      { name: 'exact.example.com', rules, matchPolicy: 'Exact' },
    ]);
    await call('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    });
    expect(received.map(({ path }) => path)).toEqual(['/any.example.com?timeout=5s']);
    expect(received[0]?.review.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1' },
    });
  });

  test('are skipped where a match condition is false, and refuse where it cannot be evaluated', async () => {
    handler = allow({ allowed: false, status: { message: 'matched' } });
    const matchConditions = [{ name: 'big', expression: 'object.data.size() > 1' }];
    await configure('Validating', [{ name: 'big.example.com', matchConditions }]);
    expect((await createConfigMap('small', { data: { x: '1' } })).code).toBe(201);
    expect((await createConfigMap('big', { data: { x: '1', y: '2' } })).body.message).toContain('matched');
    const { code, body } = await createConfigMap('none');
    expect(code).toBe(403);
    expect(body.message).toBe(
      `configmaps "none" is forbidden: expression 'object.data.size() > 1' resulted in error: no such key: data`,
    );
  });
});

describe('mutating webhooks', () => {
  test('leave in the audit log who changed what, and which failure was ignored', async () => {
    const events: Json[] = [];
    const rules = [{ level: 'Request', omitStages: ['RequestReceived'], resources: [{ resources: ['configmaps'] }] }];
    const policy = AuditPolicy.parse(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    await api.close();
    api = await ApiServer.create({ audit: { policy, backend: (event) => void events.push(event) } });
    const operation = { op: 'add', path: '/data', value: { added: 'yes' } };
    handler = (review, path) => {
      if (path.startsWith('/broken')) return { code: 500, body: 'broken' };
      return allow(path.startsWith('/adds') ? { ...patchOf(operation), auditAnnotations: { why: 'because' } } : {})(
        review,
        path,
      );
    };
    await configure('Mutating', [
      { name: 'adds.example.com' },
      { name: 'broken.example.com', failurePolicy: 'Ignore' },
      { name: 'keeps.example.com' },
    ]);
    await configure('Validating', [{ name: 'broken.example.com', failurePolicy: 'Ignore' }]);
    expect((await createConfigMap()).code).toBe(201);
    const call = (webhook: string, more: Json) => JSON.stringify({ configuration: 'test', webhook, ...more });
    expect(events[0]?.['annotations']).toEqual({
      'adds.example.com/why': 'because',
      'patch.webhook.admission.k8s.io/round_0_index_0': call('adds.example.com', {
        patch: [operation],
        patchType: 'JSONPatch',
      }),
      'mutation.webhook.admission.k8s.io/round_0_index_0': call('adds.example.com', { mutated: true }),
      'mutation.webhook.admission.k8s.io/round_0_index_1': call('broken.example.com', { mutated: false }),
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_1': 'broken.example.com',
      'mutation.webhook.admission.k8s.io/round_0_index_2': call('keeps.example.com', { mutated: false }),
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'broken.example.com',
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': '',
    });
  });

  test('change the object one after the other, in the order of their configurations', async () => {
    handler = (review, path) =>
      allow(
        patchOf({
          op: 'add',
          path: '/data/order',
          value: `${((review.request.object as Json).data as Json).order as string}${path.slice(1, 2)}`,
        }),
      )(review, path);
    await configure('Mutating', [{ name: 'b.example.com' }], 'second');
    await configure('Mutating', [{ name: 'a.example.com' }], 'first');
    expect((await createConfigMap('a', { data: { order: '' } })).body.data).toEqual({ order: 'ab' });
  });

  test('see neither uid nor creation time, which come later', async () => {
    handler = allow();
    await configure('Mutating', [{ name: 'm.example.com' }]);
    await createConfigMap();
    const object = received[0]?.review.request.object;
    expect(object).toMatchObject({ metadata: { name: 'a' } });
    expect(object).not.toHaveProperty('metadata.uid');
    expect(object).not.toHaveProperty('metadata.creationTimestamp');
  });

  test('are asked again if they want to when a later one changed the object', async () => {
    handler = (review, path) =>
      path.startsWith('/late')
        ? allow(patchOf({ op: 'add', path: '/data/late', value: 'yes' }))(review, path)
        : allow()(review, path);
    await configure('Mutating', [
      { name: 'early.example.com', reinvocationPolicy: 'IfNeeded' },
      { name: 'once.example.com' },
      { name: 'late.example.com' },
    ]);
    await createConfigMap('a', { data: { x: '1' } });
    expect(received.map(({ path }) => path.split('?')[0])).toEqual([
      '/early.example.com',
      '/once.example.com',
      '/late.example.com',
      '/early.example.com',
    ]);
    expect(received[3]?.review.request.object).toMatchObject({ data: { late: 'yes' } });
  });

  test('may not patch what is deleted', async () => {
    await createConfigMap();
    handler = allow(patchOf({ op: 'add', path: '/data/x', value: '1' }));
    await configure('Mutating', [{ name: 'm.example.com' }]);
    const { code, body } = await call('DELETE', `${configMaps}/a`);
    expect(code).toBe(500);
    expect(body.message).toContain(
      'admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });

  test('see and may change the Scale, not what is scaled', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await call('POST', '/apis/apps/v1/namespaces/default/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
    });
    handler = allow(patchOf({ op: 'replace', path: '/spec/replicas', value: 2 }));
    const rules = [
      { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'], operations: ['UPDATE'] },
    ];
    await configure('Mutating', [{ name: 'scale.example.com', rules }]);
    const path = '/apis/apps/v1/namespaces/default/deployments/d';
    await call('PATCH', `${path}/scale`, { spec: { replicas: 9 } }, { 'content-type': 'application/merge-patch+json' });
    expect(received[0]?.review.request).toMatchObject({
      kind: { kind: 'Scale' },
      oldObject: { spec: { replicas: 1 } },
    });
    expect((await call('GET', path)).body.spec).toMatchObject({ replicas: 2 });
  });
});

describe('a webhook that fails', () => {
  const failing = 'Internal error occurred: failed calling webhook "bad.example.com": ';

  test.each<[string, Handler, string]>([
    [
      'answers an error',
      () => ({ code: 500, body: 'boom' }),
      'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
    ],
    [
      'is not there',
      () => ({ code: 404, body: 'gone' }),
      'failed to call webhook: the server could not find the requested resource',
    ],
    [
      'answers for another request',
      allow({ uid: 'other' }),
      'received invalid webhook response: expected response.uid="',
    ],
    [
      'answers nothing',
      () => ({ body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } }),
      'received invalid webhook response: webhook response was absent',
    ],
    [
      'does not say what it answers',
      (review) => ({ body: { response: { uid: review.request.uid, allowed: true } } }),
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ],
    [
      'answers in another version',
      () => ({ body: { apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' } }),
      'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    ],
    [
      'decides with a word',
      allow({ allowed: 'yes' }),
      'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    [
      'patches without saying how',
      allow({ patch: patchOf({ op: 'add', path: '/data', value: {} }).patch }),
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'patches with no patch',
      allow({ patchType: 'JSONPatch', patch: Buffer.from('{}').toString('base64') }),
      'received undecodable patch in webhook response: ',
    ],
    [
      'patches with an unknown type',
      allow({ ...patchOf({ op: 'remove', path: '/data' }), patchType: 'Merge' }),
      'unsupported patch type "Merge"',
    ],
  ])('because it %s is reported in full', async (_, answer, expected) => {
    handler = answer;
    await configure('Mutating', [{ name: 'bad.example.com' }]);
    const { code, body } = await createConfigMap('a', { data: { x: '1' } });
    expect(code).toBe(500);
    expect(body.message).toContain(failing + expected);
  });

  test.each<[string, Json, string]>([
    [
      'a path that is not there',
      { op: 'remove', path: '/data/no' },
      "error in remove for path: '/data/no': Unable to remove nonexistent key: no: missing value",
    ],
    [
      'a value of a wrong type',
      { op: 'add', path: '/data/x', value: 5 },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ])('because its patch has %s is not forgiven, whatever its failure policy', async (_, operation, expected) => {
    handler = allow(patchOf(operation));
    await configure('Mutating', [{ name: 'bad.example.com', failurePolicy: 'Ignore' }]);
    const { code, body } = await createConfigMap('a', { data: { x: '1' } });
    expect(code).toBe(500);
    expect(body.message).toBe(`Internal error occurred: ${expected}`);
  });

  test('is not missed when its failure policy is Ignore', async () => {
    handler = () => ({ code: 500, body: 'boom' });
    await configure('Validating', [{ name: 'bad.example.com', failurePolicy: 'Ignore' }]);
    expect((await createConfigMap()).code).toBe(201);
  });

  test('because of a closed port names the address', async () => {
    const clientConfig = { url: 'https://127.0.0.1:1/x', caBundle: bundle() };
    await configure('Validating', [{ name: 'bad.example.com', clientConfig }]);
    expect((await createConfigMap()).body.message).toBe(
      `${failing}failed to call webhook: Post "https://127.0.0.1:1/x?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused`,
    );
  });

  test('because it takes too long is given up on', async () => {
    handler = () => ({ body: {}, delay: true });
    await configure('Validating', [{ name: 'bad.example.com', timeoutSeconds: 1 }]);
    expect((await createConfigMap()).body.message).toContain('?timeout=1s": context deadline exceeded');
  });

  test('because of an untrusted certificate says so', async () => {
    handler = allow();
    await configure('Validating', [{ name: 'bad.example.com', clientConfig: { url: `${base}/x` } }]);
    expect((await createConfigMap()).body.message).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });

  test('because it may not be asked in a dry run refuses the dry run', async () => {
    // Only configurations from the days of v1beta1 can have such a webhook.
    await api.storage.write('/registry/validatingwebhookconfigurations/x', 0, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'x' },
      webhooks: [
        {
          name: 'side.example.com',
          clientConfig: { url: base },
          sideEffects: 'Some',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
        },
      ],
    } as KubeObject);
    const { code, body } = await call('POST', `${configMaps}?dryRun=All`, configMap('a'));
    expect(code).toBe(400);
    expect(body.message).toBe('admission webhook "side.example.com" does not support dry run');
  });
});

describe('a webhook behind a service', () => {
  const clientConfig = () => ({
    service: { namespace: 'team', name: 'hook', path: '/in', port: 443 },
    caBundle: bundle(),
  });
  const hookFailure = async () => (await createConfigMap()).body.message;

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  });

  const createService = () =>
    call('POST', '/api/v1/namespaces/team/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hook' },
      spec: { ports: [{ name: 'https', port: 443 }] },
    });

  test('is found through its endpoints, and must be who it says it is', async () => {
    handler = allow({ warnings: ['reached'] });
    await configure('Validating', [{ name: 'svc.example.com', clientConfig: clientConfig() }]);
    await createService();
    // Clients may not name the loopback as an endpoint, so this one goes straight into the storage.
    await api.storage.write('/registry/endpointslices/team/hook-1', 0, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'hook-1', namespace: 'team', labels: { 'kubernetes.io/service-name': 'hook' } },
      endpoints: [
        { addresses: ['127.0.0.2'], conditions: { ready: false } },
        { addresses: ['127.0.0.1'], conditions: { ready: true } },
      ],
      ports: [{ name: 'https', port: (webhook.address() as AddressInfo).port }],
    } as KubeObject);
    const { code, warnings, body } = await createConfigMap();
    expect(code, body.message).toBe(201);
    expect(warnings).toEqual(['299 - "reached"']);
    expect(received[0]?.path).toBe('/in?timeout=5s');
  });

  test('is found under its external name', async () => {
    handler = allow({ warnings: ['reached'] });
    const { port } = webhook.address() as AddressInfo;
    const config = { ...clientConfig(), service: { namespace: 'team', name: 'hook', path: '/in', port } };
    await configure('Validating', [{ name: 'svc.example.com', clientConfig: config }]);
    await call('POST', '/api/v1/namespaces/team/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hook' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const { code, warnings, body } = await createConfigMap();
    expect(code, body.message).toBe(201);
    expect(warnings).toEqual(['299 - "reached"']);
  });

  test('that does not exist, or has no endpoints, is reported', async () => {
    await configure('Validating', [{ name: 'svc.example.com', clientConfig: clientConfig() }]);
    const post = 'failed to call webhook: Post "https://hook.team.svc:443/in?timeout=5s"';
    expect(await hookFailure()).toContain(`${post}: service "hook" not found`);
    await createService();
    expect(await hookFailure()).toContain(`${post}: no endpoints available for service "hook"`);
  });
});

describe('conversion webhooks', () => {
  type Review = { readonly request: Json & { uid: string; desiredAPIVersion: string; objects: Json[] } };
  const move = (object: Json, version: string): Json => {
    const spec = object.spec as Record<string, unknown>;
    const [from, to] = version.endsWith('v2') ? ['old', 'renamed'] : ['renamed', 'old'];
    return { ...object, apiVersion: version, spec: { [to]: spec[from] } };
  };
  const converting =
    (change: (object: Json) => Json = (object) => object): Handler =>
    (review) => {
      const { uid, desiredAPIVersion, objects } = (review as Review).request;
      const convertedObjects = objects.map((object) => change(move(object, desiredAPIVersion)));
      return {
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid, result: { status: 'Success' }, convertedObjects },
        },
      };
    };

  beforeEach(async () => {
    const version = (name: string, field: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } },
        },
      },
    });
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version('v1', 'old', true), version('v2', 'renamed', false)],
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: `${base}/convert`, caBundle: bundle() } },
        },
      },
    });
    for (let i = 0; i < 100 && (await call('GET', things('v2'))).code !== 200; i++)
      await new Promise((resolve) => setImmediate(resolve));
    handler = converting();
    await call('POST', things('v1'), thing('v1', { old: 'x' }));
  });

  const things = (version: string) => `/apis/example.com/${version}/namespaces/default/things`;
  const thing = (version: string, spec: Json) => ({
    apiVersion: `example.com/${version}`,
    kind: 'Thing',
    metadata: { name: 'a' },
    spec,
  });

  test('give objects in any version, and take them in any', async () => {
    expect((await call('GET', `${things('v2')}/a`)).body.spec).toEqual({ renamed: 'x' });
    const headers = { 'content-type': 'application/merge-patch+json' };
    await call('PATCH', `${things('v2')}/a`, { spec: { renamed: 'y' } }, headers);
    expect((await call('GET', `${things('v1')}/a`)).body.spec).toEqual({ old: 'y' });
  });

  test.each<[string, Handler, string]>([
    [
      'says that it cannot',
      (review) => ({
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid: review.request.uid, result: { status: 'Failed', message: 'no idea' } },
        },
      }),
      'failed: no idea',
    ],
    [
      'renames objects',
      converting((object) => ({ ...object, metadata: { ...(object.metadata as Json), name: 'b' } })),
      'returned invalid object: must have the same name: a != b',
    ],
    [
      'stays in the old version',
      converting((object) => ({ ...object, apiVersion: 'example.com/v1' })),
      'returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)',
    ],
    [
      'loses objects',
      (review) => ({
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid: review.request.uid, result: { status: 'Success' }, convertedObjects: [] },
        },
      }),
      'returned 0 objects, expected 1',
    ],
    [
      'sets labels that are none',
      converting((object) => ({ ...object, metadata: { ...(object.metadata as Json), labels: { a: 5 } } })),
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
  ])('that %s fail the read with the reason', async (_, answer, expected) => {
    handler = answer;
    const { code, body } = await call('GET', `${things('v2')}/a`);
    expect(code).toBe(500);
    expect(body.message).toBe(`conversion webhook for example.com/v1, Kind=Thing ${expected}`);
  });
});

import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { type DynamicObject, type KubeObject, systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urlAnnotation } from './controllers/event-listener/decide.ts';
import { EventListener, type EventListenerObject } from './kinds/event-listener.ts';
import { ClusterInterceptor } from './kinds/interceptor.ts';
import { triggersSystem } from './system.ts';
import { objectsOf } from './test-support.ts';

const namespace = 'events';
let plane: ControlPlane;
let running: RunningSystems;
let interceptor: Server;
const intercepted: {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}[] = [];

beforeAll(async () => {
  plane = await startControlPlane();
  const service = { namespace: 'tekton-pipelines', name: 'tekton-triggers-webhook' };
  running = await startSystems([triggersSystem({ hasEvents: true })], {
    client: plane.client,
    graceMs: 0,
    webhooks: { host: plane.server.localWebhooks, service },
  });
  interceptor = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      intercepted.push({ url: request.url ?? '', body, headers: request.headers });
      if (request.url === '/denied') return response.writeHead(403).end('no');
      if (request.url === '/old') return response.writeHead(200, { 'x-next': 'yes' }).end('{"from":"webhook"}');
      const { extensions = {} } = JSON.parse(body) as { extensions?: object };
      return response.end(
        JSON.stringify({ continue: true, extensions: { called: 'yes', seen: Object.keys(extensions) } }),
      );
    });
  });
  await new Promise<void>((resolve) => void interceptor.listen(0, '127.0.0.1', resolve));
  const port = (interceptor.address() as AddressInfo).port;
  await create(
    `
apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: listener, namespace: ${namespace}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: weak, namespace: ${namespace}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: configs, namespace: ${namespace}}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [create]}
- {apiGroups: [""], resources: [serviceaccounts], verbs: [impersonate], resourceNames: [weak]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: configs, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: configs}
subjects: [{kind: ServiceAccount, name: listener, namespace: ${namespace}}]
---
apiVersion: v1
kind: Secret
metadata: {name: hook, namespace: ${namespace}}
stringData: {token: secret}
---
apiVersion: triggers.tekton.dev/v1alpha1
kind: ClusterInterceptor
metadata: {name: remote}
spec: {clientConfig: {url: "http://127.0.0.1:${port}/new"}}
---
apiVersion: triggers.tekton.dev/v1beta1
kind: TriggerBinding
metadata: {name: ref, namespace: ${namespace}}
spec: {params: [{name: ref, value: $(body.ref)}, {name: event, value: $(context.eventID)}]}
---
apiVersion: triggers.tekton.dev/v1beta1
kind: TriggerTemplate
metadata: {name: config, namespace: ${namespace}}
spec:
  params: [{name: ref}, {name: event}, {name: extra, default: none}]
  resourcetemplates:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {generateName: made-}
    data: {ref: $(tt.params.ref), event: $(tt.params.event), extra: $(tt.params.extra), uid: $(uid)}
`.replaceAll('PORT', String(port)),
  );
}, 60_000);

afterAll(async () => {
  await running.stop();
  await plane.close();
  interceptor.close();
});

async function create(yaml: string): Promise<readonly KubeObject[]> {
  const made: KubeObject[] = [];
  for (const object of objectsOf(yaml)) made.push(await plane.client.create(object));
  return made;
}

/** Creates a listener and resolves with its address when it is ready. */
async function listen(name: string, spec: string, annotations = '{}'): Promise<string> {
  await create(`
apiVersion: triggers.tekton.dev/v1beta1
kind: EventListener
metadata: {name: ${name}, namespace: ${namespace}, annotations: ${annotations}}
spec: ${spec}`);
  return until(async () => {
    const { status } = await plane.client.get(EventListener, { namespace, name });
    const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
    return isReady ? status?.annotations?.[urlAnnotation] : undefined;
  });
}

async function until<T>(probe: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error('did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

interface Answer {
  readonly eventID: string;
  readonly errorMessage?: string;
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', body: text, headers });
  const answer = await response.text();
  return {
    code: response.status,
    headers: response.headers,
    body: (answer.startsWith('{') ? JSON.parse(answer) : { answer }) as Answer,
  };
}

async function madeFor(eventId: string, where = namespace): Promise<readonly DynamicObject[]> {
  const labelSelector = `triggers.tekton.dev/triggers-eventid=${eventId}`;
  const { items } = await plane.client.list(kinds.ConfigMap, { namespace: where, labelSelector });
  return items as unknown as readonly DynamicObject[];
}

const oneMade = (eventId: string, where = namespace) =>
  until(
    async () => (await madeFor(eventId, where))[0] as (DynamicObject & { data: Record<string, string> }) | undefined,
  );

const spec = (trigger: string) => `{serviceAccountName: listener, triggers: [${trigger}]}`;
const simple = 'name: simple, bindings: [{ref: ref}], template: {ref: config}';
const event = { ref: 'refs/heads/main' };

/** Sends an event that a later one overtakes: once the later one made its object, the first made none. */
async function makesNothing(url: string, probe: string, body: unknown = event, headers = {}): Promise<void> {
  const { body: first } = await post(url, body, headers);
  const { body: second } = await post(probe, event);
  await oneMade(second.eventID);
  expect(await madeFor(first.eventID)).toEqual([]);
}

describe('an EventListener', () => {
  let url: string;
  beforeAll(async () => {
    url = await listen('main', spec(`{${simple}}`));
  }, 60_000);

  it('reports the Service and the address that upstream gives it', async () => {
    const { status, spec: stored } = (await plane.client.get(EventListener, {
      namespace,
      name: 'main',
    })) as EventListenerObject;
    expect(status).toMatchObject({
      address: { url: 'http://el-main.events.svc.cluster.local:8080' },
      configuration: { generatedName: 'el-main' },
      observedGeneration: 1,
    });
    expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
      'Available=True',
      'Deployment=True',
      'Progressing=True',
      'Ready=True',
      'Service=True',
    ]);
    expect(stored).toMatchObject({ namespaceSelector: {}, resources: {} });
    const { metadata, spec: service } = await plane.client.get(kinds.Service, { namespace, name: 'el-main' });
    expect(metadata).toMatchObject({
      labels: {
        'app.kubernetes.io/managed-by': 'EventListener',
        'app.kubernetes.io/part-of': 'Triggers',
        eventlistener: 'main',
      },
      ownerReferences: [{ kind: 'EventListener', name: 'main', controller: true }],
    });
    expect(service?.ports).toMatchObject([
      { name: 'http-listener', port: 8080, targetPort: 8080 },
      { name: 'http-metrics', port: 9000, targetPort: 9000 },
    ]);
  });

  it('accepts an event and creates what its trigger says', async () => {
    const { code, headers, body } = await post(url, event);
    const { metadata } = await plane.client.get(EventListener, { namespace, name: 'main' });
    expect(code).toBe(202);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual({
      eventListener: 'main',
      namespace,
      eventListenerUID: metadata.uid,
      eventID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    const made = await oneMade(body.eventID);
    expect(made).toMatchObject({
      metadata: {
        labels: {
          'triggers.tekton.dev/eventlistener': 'main',
          'triggers.tekton.dev/trigger': 'simple',
          'triggers.tekton.dev/triggers-eventid': body.eventID,
        },
      },
      data: { ref: 'refs/heads/main', event: body.eventID, extra: 'none' },
    });
    expect(made.data['uid']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers a CloudEvent with one', async () => {
    const { code, headers, body } = await post(url, event, { 'ce-specversion': '1.0', 'ce-id': 'x' });
    expect(code).toBe(202);
    expect(headers.get('ce-type')).toBe('dev.tekton.event.triggers.accepted.v1');
    expect(headers.get('ce-subject')).toBe(`events.main accepted ${body.eventID}`);
  });

  it.each([
    ['{', 'Invalid event body format : unexpected end of JSON input'],
    ['', 'Invalid event body format : unexpected end of JSON input'],
    ['[]', 'Invalid event body format : json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['['.repeat(50_000), /^Invalid event body format : unexpected end of JSON input/],
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'Invalid event body format : exceeded max depth'],
  ])('denies an event that is no JSON object', async (text, message) => {
    const { code, body } = await post(url, text);
    expect(code).toBe(400);
    expect(body).toMatchObject({ eventListener: 'main', namespace, eventListenerUID: '' });
    expect(body.errorMessage).toMatch(message);
  });

  it('denies what is too large, and goes on', async () => {
    expect((await post(url, `{"a":"${'x'.repeat(26 * 1024 * 1024)}"}`)).code).toBe(413);
    expect((await post(url, event)).code).toBe(202);
  });

  it('is alive, and one that does not exist fails as upstream', async () => {
    const base = new URL(url).origin;
    expect(await (await fetch(`${base}/live`)).text()).toBe('ok');
    expect((await post(`${base}/${namespace}/nosuch`, {})).code).toBe(500);
    expect((await post(`${base}/`, {})).code).toBe(404);
  });

  it('takes no events from a web page', async () => {
    expect((await post(url, event, { origin: 'https://evil.example.com', 'content-type': 'text/plain' })).code).toBe(
      403,
    );
    expect((await post(url, event, { 'sec-fetch-site': 'cross-site' })).code).toBe(403);
  });

  it('reports its work in Events', async () => {
    const reasons = await until(async () => {
      const { items } = await plane.client.list(kinds.Event, { namespace });
      const found = new Set(items.map(({ reason }) => reason));
      return found.has('dev.tekton.event.triggers.successful.v1') ? found : undefined;
    });
    expect(reasons).toContain('dev.tekton.event.triggers.started.v1');
    expect(reasons).toContain('dev.tekton.event.triggers.done.v1');
  });

  it('can have a separate port', async () => {
    const own = await listen('own', spec(`{${simple}}`), '{triggers.tektite.dev/port: "0"}');
    expect(new URL(own).pathname).toBe('/');
    expect(new URL(own).port).not.toBe(new URL(url).port);
    const { body } = await post(`${own}/any/path`, event);
    expect((await oneMade(body.eventID)).metadata.labels).toMatchObject({ 'triggers.tekton.dev/eventlistener': 'own' });
  });

  it('checks signatures of GitHub with a Secret of its namespace', async () => {
    const github =
      'interceptors: [{ref: {name: github}, params: [{name: secretRef, value: {secretName: hook, secretKey: token}}, {name: eventTypes, value: [push]}]}]';
    const signed = await listen('signed', spec(`{${simple}, ${github}}`));
    const text = JSON.stringify(event);
    const signature = `sha256=${createHmac('sha256', 'secret').update(text).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push' };
    const { body } = await post(signed, text, headers);
    await oneMade(body.eventID);
    await makesNothing(signed, url, text, { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
    await makesNothing(signed, url, `${text} `, headers);
    await makesNothing(signed, url, text, { ...headers, 'x-github-event': 'ping' });
  });

  it('runs CEL filters and overlays, and calls interceptors elsewhere', async () => {
    const cel =
      '{ref: {name: cel}, params: [{name: filter, value: "body.ref.startsWith(\'refs/heads/\')"}, {name: overlays, value: [{key: branch, expression: "body.ref.split(\'/\')[2]"}]}]}';
    const trigger = `name: chain, interceptors: [${cel}, {ref: {name: remote}}], bindings: [{ref: ref}, {name: extra, value: "$(extensions.branch) $(extensions.called) $(extensions.seen[0])"}], template: {ref: config}`;
    const chain = await listen('chain', spec(`{${trigger}}`));
    const { body } = await post(`${chain}/sub?x=1`, event);
    expect((await oneMade(body.eventID)).data['extra']).toBe('main yes branch');
    const request = JSON.parse(intercepted.at(-1)?.body ?? '{}') as Record<string, unknown>;
    expect(request).toMatchObject({
      body: JSON.stringify(event),
      extensions: { branch: 'main' },
      context: { event_url: '/sub?x=1', event_id: body.eventID, trigger_id: 'namespaces/events/triggers/chain' },
    });
    await makesNothing(chain, url, { ref: 'refs/tags/v1' });
  });

  it('sends the event itself to interceptors of the old style', async () => {
    const origin = (await plane.client.get(ClusterInterceptor, { name: 'remote' })).spec.clientConfig.url ?? '';
    const webhook = (path: string) =>
      `interceptors: [{webhook: {url: "${new URL(path, origin).href}", objectRef: {kind: Service, apiVersion: v1, name: x}, header: [{name: X-Extra, value: [a, b]}]}}]`;
    const old = await listen(
      'old',
      spec(
        `{name: old, ${webhook('/old')}, bindings: [{name: ref, value: "$(body.from) $(header.X-Next)"}, {name: event, value: ""}], template: {ref: config}}`,
      ),
    );
    const { body } = await post(`${old}/hook`, event, { 'x-sent': 'this' });
    expect((await oneMade(body.eventID)).data['ref']).toBe('webhook yes');
    const sent = intercepted.at(-1);
    expect(sent?.body).toBe(JSON.stringify(event));
    expect(sent?.headers).toMatchObject({ 'x-sent': 'this', 'x-extra': 'a, b', 'eventlistener-request-url': '/hook' });
    const denied = await listen('denied', spec(`{${simple}, ${webhook('/denied')}}`));
    await makesNothing(denied, url);
  });

  it('calls Interceptors of its namespace, and Services by their address', async () => {
    const { port } = interceptor.address() as AddressInfo;
    await create(`
apiVersion: v1
kind: Service
metadata: {name: checker, namespace: ${namespace}}
spec: {type: ExternalName, externalName: 127.0.0.1}
---
apiVersion: triggers.tekton.dev/v1alpha1
kind: Interceptor
metadata: {name: checker, namespace: ${namespace}}
spec: {clientConfig: {service: {name: checker, namespace: ${namespace}, port: ${port}, path: new}}}`);
    const trigger = `name: local, interceptors: [{ref: {name: checker, kind: NamespacedInterceptor}}], bindings: [{ref: ref}, {name: extra, value: $(extensions.called)}], template: {ref: config}`;
    const local = await listen('local', spec(`{${trigger}}`));
    expect((await oneMade((await post(local, event)).body.eventID)).data['extra']).toBe('yes');
    expect(intercepted.at(-1)?.headers).toMatchObject({ host: `checker.events.svc:${port}` });
  });

  it('processes the triggers that it refers to, selects, or groups', async () => {
    await create(`
apiVersion: triggers.tekton.dev/v1beta1
kind: Trigger
metadata: {name: first, namespace: ${namespace}, labels: {team: a}}
spec: {bindings: [{ref: ref}], template: {ref: config}}
---
apiVersion: triggers.tekton.dev/v1beta1
kind: Trigger
metadata: {name: second, namespace: ${namespace}, labels: {team: b}}
spec: {bindings: [{ref: ref}, {name: extra, value: $(extensions.who)}], template: {ref: config}}`);
    const group =
      'triggerGroups: [{name: g, interceptors: [{ref: {name: cel}, params: [{name: overlays, value: [{key: who, expression: "\'group\'"}]}]}], triggerSelector: {labelSelector: {matchLabels: {team: b}}}}]';
    const many = await listen(
      'many',
      `{serviceAccountName: listener, labelSelector: {matchLabels: {team: a}}, triggers: [{triggerRef: first}, {triggerRef: nosuch}], ${group}}`,
    );
    const { body } = await post(many, event);
    const made = await until(async () => {
      const found = await madeFor(body.eventID);
      return found.length === 3 ? found : undefined;
    });
    const names = made.map(({ metadata }) => metadata.labels?.['triggers.tekton.dev/trigger'] ?? '').sort();
    expect(names).toEqual(['first', 'first', 'second']);
    expect(made.some((each) => (each as unknown as { data: { extra: string } }).data.extra === 'group')).toBe(true);
  });
});

describe('rights', () => {
  let probe: string;
  beforeAll(async () => {
    probe = await listen('probe', spec(`{${simple}}`));
  }, 60_000);

  it('are those of the account, and not of this process', async () => {
    const template = (kind: string, apiVersion: string, rest = '') =>
      `template: {spec: {resourcetemplates: [{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {generateName: made-${rest}}}]}}`;
    const none = await listen('none', `{serviceAccountName: default, triggers: [{${simple}}]}`);
    await makesNothing(none, probe);
    const secret = await listen('secret', spec(`{name: s, ${template('Secret', 'v1')}}`));
    await makesNothing(secret, probe);
    const elsewhere = await listen(
      'elsewhere',
      spec(`{name: e, ${template('ConfigMap', 'v1', ', namespace: other')}}`),
    );
    const { body } = await post(elsewhere, event);
    const { body: later } = await post(probe, event);
    await oneMade(later.eventID);
    expect(await madeFor(body.eventID, 'other')).toEqual([]);
    const role = await listen(
      'role',
      spec(`{name: r, ${template('ClusterRoleBinding', 'rbac.authorization.k8s.io/v1')}}`),
    );
    await makesNothing(role, probe);
    const unknown = await listen('unknown', spec(`{name: u, ${template('Nothing', 'example.com/v1')}}`));
    await makesNothing(unknown, probe);
    const { items } = await plane.client.list(kinds.Secret, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['hook']);
  });

  it("of a trigger's account need the right to impersonate it", async () => {
    const weak = await listen('weak', spec(`{${simple}, serviceAccountName: weak}`));
    await makesNothing(weak, probe);
    await create(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: weak, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: configs}
subjects: [{kind: ServiceAccount, name: weak, namespace: ${namespace}}]`);
    const { body } = await post(weak, event);
    await oneMade(body.eventID);
    const stranger = await listen('stranger', spec(`{${simple}, serviceAccountName: default}`));
    await makesNothing(stranger, probe);
  });

  it('to list Triggers of another namespace are needed to select them', async () => {
    await create(`
apiVersion: triggers.tekton.dev/v1beta1
kind: Trigger
metadata: {name: theirs, namespace: other}
spec: {bindings: [], template: {spec: {resourcetemplates: [{apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-, namespace: ${namespace}}}]}}}`);
    const across = await listen('across', '{serviceAccountName: listener, namespaceSelector: {matchNames: [other]}}');
    await makesNothing(across, probe);
    const all = await listen('all', '{serviceAccountName: listener, namespaceSelector: {matchNames: ["*"]}}');
    await makesNothing(all, probe);
  });
});

describe('webhooks', () => {
  it('deny in upstream words', async () => {
    await expect(listen('bad', '{triggers: []}')).rejects.toThrow(
      'admission webhook "validation.webhook.triggers.tekton.dev" denied the request: validation failed: expected exactly one, got neither: spec.labelSelector, spec.namespaceSelector, spec.triggerGroups, spec.triggers',
    );
    await expect(listen('bad', '{trigers: []}')).rejects.toThrow(
      'admission webhook "webhook.triggers.tekton.dev" denied the request: mutation failed: cannot decode incoming new object: json: unknown field "trigers"',
    );
  });

  it('report the addresses of ClusterInterceptors', async () => {
    const address = await until(async () => {
      const { status } = await plane.client.get(ClusterInterceptor, { name: 'cel' });
      return status?.address?.url;
    });
    expect(address).toBe('http://tekton-triggers-core-interceptors.tekton-pipelines.svc:8443/cel');
  });
});

describe('TLS', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it('is served with the certificate of a Secret, under the port of upstream', async () => {
    const authority = await createAuthority('events', systemClock);
    const { certificate, key } = await issueCertificate(
      authority,
      { commonName: 'el', hosts: ['127.0.0.1'] },
      systemClock,
    );
    const variable = (name: string, of: string) =>
      `{name: ${name}, valueFrom: {secretKeyRef: {name: tls, key: ${of}}}}`;
    const pod = `{containers: [{env: [${variable('TLS_CERT', 'tls.crt')}, ${variable('TLS_KEY', 'tls.key')}]}]}`;
    const listening = listen(
      'secure',
      `{serviceAccountName: listener, triggers: [{${simple}}], resources: {kubernetesResource: {spec: {template: {spec: ${pod}}}}}}`,
    );
    await until(async () => {
      const { status } = await plane.client
        .get(EventListener, { namespace, name: 'secure' })
        .catch(() => ({ status: undefined }));
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.message === 'Condition Available has status: False with message: secrets "tls" not found'
        ? true
        : undefined;
    });
    await create(`
apiVersion: v1
kind: Secret
metadata: {name: tls, namespace: ${namespace}}
data: {tls.crt: ${base64(certificate)}, tls.key: ${base64(key)}}`);
    const { status } = await plane.client.get(EventListener, { namespace, name: 'secure' });
    expect(status?.address?.url).toBe('http://el-secure.events.svc.cluster.local:8443');
    // The controller retries after some seconds; a change of the listener reconciles it at once.
    await plane.client.patch(
      EventListener,
      { namespace, name: 'secure' },
      mergePatch({ metadata: { labels: { now: 'yes' } } }),
    );
    const url = new URL(await listening);
    expect(url.protocol).toBe('https:');
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = tlsRequest(url, { method: 'POST', ca: authority.certificate }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(event));
    });
    await oneMade((JSON.parse(answer) as Answer).eventID);
  }, 60_000);

  it('of an interceptor is checked with its CA bundle', async () => {
    const authority = await createAuthority('interceptors', systemClock);
    const { certificate, key } = await issueCertificate(
      authority,
      { commonName: 'i', hosts: ['127.0.0.1'] },
      systemClock,
    );
    const server = createTlsServer({ cert: certificate, key }, (request, response) => {
      request.resume();
      request.on('end', () => response.end('{"continue": true, "extensions": {"secure": "yes"}}'));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const other = await createAuthority('other', systemClock);
    const interceptorOf = (name: string, ca: string) => `
apiVersion: triggers.tekton.dev/v1alpha1
kind: ClusterInterceptor
metadata: {name: ${name}, labels: {server/type: https}}
spec: {clientConfig: {url: "${url}", caBundle: ${base64(ca)}}}`;
    await create(`${interceptorOf('good', authority.certificate)}\n---${interceptorOf('forged', other.certificate)}`);
    const via = (name: string) =>
      spec(
        `{name: ${name}, interceptors: [{ref: {name: ${name}}}], bindings: [{ref: ref}, {name: extra, value: $(extensions.secure)}], template: {ref: config}}`,
      );
    const good = await listen('good', via('good'));
    expect((await oneMade((await post(good, event)).body.eventID)).data['extra']).toBe('yes');
    await makesNothing(await listen('forged', via('forged')), good);
    server.close();
  }, 60_000);
});

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admin, ManualClock, settle, TestServer } from '../test-support.ts';
import { AuditLog } from './audit-log.ts';
import { AuditWebhook } from './audit-webhook.ts';
import { AuditPolicy } from './audit-policy.ts';
import type { AuditEvent } from './auditor.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: 'b' },
});

async function audited(...rules: object[]): Promise<{ server: TestServer; events: AuditEvent[] }> {
  const events: AuditEvent[] = [];
  const policy = AuditPolicy.parse(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  const server = await TestServer.start({
    audit: { policy, backend: (event) => void events.push(event) },
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  return { server, events };
}

describe('audit', () => {
  it('records who did what, with which result, in stages', async () => {
    const { server, events } = await audited({ level: 'RequestResponse', omitManagedFields: true });
    await using _ = server;
    const headers = { 'user-agent': 'kubectl/1.36', 'audit-id': 'my-id' };
    const answer = await server.send('POST', `${path}?fieldManager=m`, configMap('a'), { headers });
    expect(answer.headers).toMatchObject({ 'audit-id': 'my-id' });
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(events[1]).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: 'my-id',
      requestURI: `${path}?fieldManager=m`,
      verb: 'create',
      user: { username: 'admin', groups: admin.groups },
      userAgent: 'kubectl/1.36',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      requestObject: configMap('a'),
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
    const { responseObject } = events[1] as { responseObject: { metadata: object } };
    expect(responseObject.metadata).toHaveProperty('uid');
    expect(responseObject.metadata).not.toHaveProperty('managedFields');
  });

  it('follows the first rule that matches, and records nothing without one', async () => {
    const { server, events } = await audited(
      { level: 'None', users: ['quiet'] },
      { level: 'None', nonResourceURLs: ['/healthz*', '/version'] },
      { level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'pods/log'] }] },
      { level: 'Request', verbs: ['delete'], namespaces: ['default'], omitStages: ['RequestReceived'] },
    );
    await using _ = server;
    await server.send('GET', '/version');
    await server.send('GET', path);
    await server.send('GET', '/api/v1/namespaces/default/secrets/s', undefined, {
      user: { name: 'quiet', groups: ['system:masters'] },
    });
    expect(events).toEqual([]);
    await server.send('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { password: 'hunter2' },
    });
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('hunter2');
    events.length = 0;
    await server.send('DELETE', `${path}/none`);
    expect(events).toMatchObject([{ level: 'Request', responseStatus: { code: 404, reason: 'NotFound' } }]);
  });

  it('records denials and impersonation', async () => {
    const { server, events } = await audited({ level: 'Metadata', omitStages: ['RequestReceived'] });
    await using _ = server;
    const user = { name: 'eve', groups: ['system:authenticated'] };
    await server.send('GET', path, undefined, { user });
    await server.send('GET', path, undefined, { headers: { 'impersonate-user': 'eve' } });
    expect(events).toMatchObject([
      {
        user: { username: 'eve' },
        responseStatus: { code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      },
      { user: { username: 'admin' }, impersonatedUser: { username: 'eve' }, responseStatus: { code: 403 } },
    ]);
  });

  it('records requests whose credentials are not accepted, with the credentials that were tried', async () => {
    const { server, events } = await audited({ level: 'None', users: ['system:admin'] }, { level: 'Metadata' });
    await using _ = server;
    const headers = { authorization: 'Bearer of-nobody' };
    const request = { method: 'GET', path, query: new URLSearchParams(), headers };
    expect(await server.server.handle(request)).toMatchObject({ code: 401 });
    await expect(server.server.admit(request)).rejects.toThrow('Unauthorized');
    expect(events).toHaveLength(2);
    for (const event of events)
      expect(event).toMatchObject({
        stage: 'ResponseStarted',
        user: {},
        objectRef: { resource: 'configmaps', namespace: 'default' },
        responseStatus: { metadata: {}, message: 'Authentication failed, attempted: bearer', code: 401 },
      });
  });

  it('has the annotations of policies, and what the namespace says of Pods', async () => {
    const { server, events } = await audited({ level: 'Metadata', omitStages: ['RequestReceived'] });
    await using _ = server;
    const api = '/apis/admissionregistration.k8s.io/v1';
    const typeOf = (kind: string, spec: object) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'p' },
      spec,
    });
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] };
    const policy = typeOf('ValidatingAdmissionPolicy', {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'true' }, { expression: 'object.data.a != "b"', message: 'no b' }],
      auditAnnotations: [
        { key: 'who', valueExpression: '"made by " + request.userInfo.username' },
        { key: 'none', valueExpression: 'null' },
      ],
    });
    const binding = typeOf('ValidatingAdmissionPolicyBinding', { policyName: 'p', validationActions: ['Audit'] });
    expect(await server.send('POST', `${api}/validatingadmissionpolicies`, policy)).toMatchObject({ code: 201 });
    expect(await server.send('POST', `${api}/validatingadmissionpolicybindings`, binding)).toMatchObject({ code: 201 });
    events.length = 0;
    expect(await server.send('POST', path, configMap('a'))).toMatchObject({ code: 201 });
    const failure = {
      message: 'no b',
      policy: 'p',
      binding: 'p',
      expressionIndex: 1,
      validationActions: ['Audit'],
    };
    expect(events[0]?.['annotations']).toEqual({
      'p/who': 'made by admin',
      'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([failure]),
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': '',
    });
    const labels = { 'pod-security.kubernetes.io/audit': 'baseline' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels } };
    expect(await server.send('POST', '/api/v1/namespaces', namespace)).toMatchObject({ code: 201 });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] },
    };
    events.length = 0;
    expect(await server.send('POST', '/api/v1/namespaces/n/pods', pod)).toMatchObject({ code: 201 });
    expect(events[0]?.['annotations']).toMatchObject({
      'pod-security.kubernetes.io/enforce-policy': 'privileged:latest',
      'pod-security.kubernetes.io/audit-violations':
        'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
  });

  it('records a denial that a body was not waited for', async () => {
    const { server, events } = await audited({ level: 'Metadata' });
    await using _ = server;
    const request = { method: 'POST', path, query: new URLSearchParams(), headers: {} };
    await expect(server.server.admit({ ...request, user: { name: 'eve', groups: [] } })).rejects.toThrow('forbidden');
    await server.server.admit({ ...request, user: admin });
    expect(events.map(({ stage, user }) => [stage, (user as { username: string }).username])).toEqual([
      ['RequestReceived', 'eve'],
      ['ResponseComplete', 'eve'],
    ]);
  });

  it('records the start and the end of a watch', async () => {
    const { server, events } = await audited({ level: 'Metadata', verbs: ['watch'] });
    await using _ = server;
    const watch = await server.watch(`${path}?watch=1`);
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted']);
    watch[Symbol.dispose]();
    await settle();
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });
});

describe('an audit log', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tektite-audit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has a line for each event, and is private', async () => {
    const file = join(folder, 'audit.log');
    for (const stage of ['RequestReceived', 'ResponseComplete']) {
      await using log = AuditLog.open(file, () => undefined);
      log.write({ stage });
    }
    expect(await readFile(file, 'utf8')).toBe('{"stage":"RequestReceived"}\n{"stage":"ResponseComplete"}\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(() => AuditLog.open(join(folder, 'none', 'x'), () => undefined)).toThrow('ENOENT');
  });
});

describe('a rotated audit log', () => {
  it('is renamed before it gets too long, loses nothing, and keeps the backups that it should', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tektite-audit-'));
    const file = join(folder, 'audit.log');
    const clock = new ManualClock('2026-01-02T03:04:05.678Z');
    const rotation = { maxBytes: 30, maxBackups: 2, maxDays: 3 };
    await using log = AuditLog.open(file, () => undefined, rotation, clock);
    const names = async () => (await readdir(folder)).sort();
    for (const [event, wait] of [
      [1, 1],
      [2, 1],
      [3, 86_400],
      [4, 345_600],
      [5, 0],
    ] as const) {
      log.write({ event, filler: '0123456789' });
      clock.advance(wait);
    }
    await log[Symbol.asyncDispose]();
    // One was too many when the fourth came, and the others too old when the fifth did.
    expect(await names()).toEqual(['audit-2026-01-07T03-04-07.678.log', 'audit.log']);
    expect(await readFile(file, 'utf8')).toBe('{"event":5,"filler":"0123456789"}\n');
    expect(await readFile(join(folder, 'audit-2026-01-07T03-04-07.678.log'), 'utf8')).toContain('"event":4');
    await rm(folder, { recursive: true });
  });
});

describe('an audit webhook', () => {
  /** A server that fails as often as it is told. */
  function recorder(failures: number) {
    const lists: { items: AuditEvent[] }[] = [];
    const post = (body: object | string) => {
      if (failures-- > 0) return Promise.reject(new Error('not now'));
      lists.push(JSON.parse(body as string) as { items: AuditEvent[] });
      return Promise.resolve(undefined);
    };
    return { lists, server: { post, close: () => Promise.resolve() } };
  }

  it('gets events in batches, in order, also after failures', async () => {
    const clock = new ManualClock();
    const { lists, server } = recorder(2);
    const errors: Error[] = [];
    await using webhook = new AuditWebhook(server, clock, (error) => errors.push(error), { maxBatch: 2 });
    for (const auditID of ['a', 'b', 'c']) webhook.write({ auditID });
    await settle();
    clock.advance(10);
    await settle();
    expect(lists).toEqual([]);
    clock.advance(20);
    await settle();
    expect(lists).toEqual([
      { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [{ auditID: 'a' }, { auditID: 'b' }] },
    ]);
    clock.advance(30);
    await settle();
    expect(lists[1]?.items).toEqual([{ auditID: 'c' }]);
    expect(errors).toEqual([]);
  });

  it('drops, and reports, what is not taken in time', async () => {
    const clock = new ManualClock();
    const { lists, server } = recorder(5);
    const errors: Error[] = [];
    const webhook = new AuditWebhook(server, clock, (error) => errors.push(error), { maxBatch: 2, maxWaiting: 2 });
    for (const auditID of ['a', 'b', 'c', 'd', 'e']) webhook.write({ auditID });
    for (const seconds of [10, 20, 40, 80]) {
      await settle();
      clock.advance(seconds);
    }
    await settle();
    expect(errors.map(({ message }) => message)).toEqual([
      'the audit webhook is too slow; events are dropped',
      '2 audit events were not delivered: not now',
    ]);
    expect(webhook.dropped).toBe(3);
    await webhook[Symbol.asyncDispose]();
    expect(lists.map(({ items }) => items)).toEqual([[{ auditID: 'c' }, { auditID: 'd' }]]);
  });
});

describe('an audit policy', () => {
  it.each([
    ['kind: Pod', /expected apiVersion audit.k8s.io\/v1 and kind Policy/],
    ['apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []', /rules is empty/],
    ['apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]', /rules\[0\].level has to be one of/],
    [
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, omitStages: [X]}]',
      /rules\[0\].omitStages: X is none of/,
    ],
  ])('is refused when it is none: %j', (text, message) => {
    expect(() => AuditPolicy.parse(text)).toThrow(message);
  });
});

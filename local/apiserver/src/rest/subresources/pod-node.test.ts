import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../request/api-response.ts';
import { ApiServer } from '../../server.ts';
import type { PodLogOptions } from './pod-node.ts';

const admin = { name: 'admin', groups: ['system:masters'] };

async function serverWithPod(
  pod: object,
): Promise<{ server: ApiServer; call: (path: string) => Promise<ApiResponse> }> {
  const server = await ApiServer.create({ disabledAdmissionPlugins: ['ServiceAccount'] });
  const request = (method: string, path: string, body?: object) => {
    const [plain = '', query = ''] = path.split('?');
    return server.handle({
      method,
      path: plain,
      query: new URLSearchParams(query),
      headers: {},
      user: admin,
      ...(body ? { body } : {}),
    });
  };
  const created = await request('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    ...pod,
  });
  expect(created.code).toBe(201);
  return { server, call: (path) => request('GET', `/api/v1/namespaces/default/pods/p/${path}`) };
}

async function textOf(answer: ApiResponse): Promise<string> {
  if (answer.type === 'text') return answer.text;
  if (answer.type !== 'stream') throw new Error(`no log: ${JSON.stringify(answer)}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('asks the node that registered for the log of its Pod, with the options of the request', async () => {
  const { server, call } = await serverWithPod({ spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] } });
  const asked: PodLogOptions[] = [];
  const registration = server.nodes.register('n1', {
    async *log(_pod, options) {
      asked.push(options);
      yield Buffer.from('one\n');
      yield Buffer.from('two\n');
    },
  });
  expect(await textOf(await call('log?tailLines=2&timestamps=true'))).toBe('one\ntwo\n');
  expect(asked).toEqual([{ container: 'c', follow: false, previous: false, timestamps: true, tailLines: 2 }]);
  registration[Symbol.dispose]();
  expect((await call('log')).code).toBe(404);
  await server.close();
});

it('has an empty log for a Pod that no node has', async () => {
  const { server, call } = await serverWithPod({ spec: { containers: [{ name: 'c', image: 'i' }] } });
  expect(await textOf(await call('log'))).toBe('');
  await server.close();
});

it('wants to know which container when there are several, and refuses one that is not there', async () => {
  const containers = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ];
  const { server, call } = await serverWithPod({ spec: { nodeName: 'n1', containers } });
  const messageOf = async (path: string) => ((await call(path)) as { object?: { message?: string } }).object?.message;
  expect(await messageOf('log')).toBe('a container name must be specified for pod p, choose one of: [a b]');
  expect(await messageOf('log?container=x')).toBe('container x is not valid for pod p');
  await server.close();
});

describe('sessions', () => {
  async function sessions(verbs: readonly string[]) {
    const { server } = await serverWithPod({ spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] } });
    const session = () => Promise.reject(new Error('not in this test'));
    server.nodes.register('n1', { log: async function* () {}, exec: session, attach: session });
    const rule = { apiGroups: [''], resources: ['pods/*', '*'], verbs };
    const objects = [
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' }, rules: [rule] },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'tenant' }],
      },
    ];
    for (const body of objects) {
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/default/${body.kind.toLowerCase()}s`;
      const request = { method: 'POST', path, query: new URLSearchParams(), headers: {}, user: admin, body };
      expect((await server.handle(request)).code).toBe(201);
    }
    const open = (subresource: string) =>
      server.handle({
        method: 'GET',
        path: `/api/v1/namespaces/default/pods/p/${subresource}`,
        query: new URLSearchParams('command=id&stdout=true'),
        headers: { upgrade: 'websocket' },
        user: { name: 'tenant', groups: [] },
      });
    return { open, close: () => server.close() };
  }

  it('are not for those who may only read, though a WebSocket is opened by GET', async () => {
    const { open, close } = await sessions(['get', 'list', 'watch']);
    for (const subresource of ['exec', 'attach', 'portforward']) expect((await open(subresource)).code).toBe(403);
    await close();
  });

  it('of one kind are not got by the right to another', async () => {
    const { open, close } = await sessions(['get', 'create']);
    expect((await open('exec')).code).toBe(101);
    expect((await open('attach')).code).toBe(101);
    expect((await open('portforward')).code).toBe(501);
    expect((await open('proxy')).code).toBe(400);
    await close();
  });
});

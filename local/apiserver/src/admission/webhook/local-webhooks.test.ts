import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../server.ts';
import type { LocalWebhook } from './local-webhooks.ts';

const service = { namespace: 'default', name: 'hook' };
const user = { name: 'admin', groups: ['system:masters'] };

let api: ApiServer;

beforeEach(async () => {
  api = await ApiServer.create();
  const entry = {
    name: 'hook.example.com',
    clientConfig: { service: { ...service, path: '/review' } },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  };
  await post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'hook' },
    webhooks: [entry],
  });
});

afterEach(async () => {
  await api.close();
});

async function post(path: string, body: object, as = user) {
  const answer = await api.handle({ method: 'POST', path, query: new URLSearchParams(), headers: {}, user: as, body });
  return (answer as { object?: unknown }).object as KubeObject & { message?: string; data?: Record<string, string> };
}
const configMaps = '/api/v1/namespaces/default/configmaps';
const create = (name = 'a', as = user) => post(configMaps, { metadata: { name }, data: { a: '1' } }, as);

const answering = (response: object): LocalWebhook => ({
  answer(_, review) {
    const { uid } = (review as { request: { uid: string } }).request;
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response } };
    return Promise.resolve({ code: 200, body });
  },
});

describe('a webhook of this process', () => {
  test('is asked in place of the Service, at its path, until it is disposed', async () => {
    const paths: string[] = [];
    const patch = Buffer.from('[{"op":"add","path":"/data/b","value":"2"}]').toString('base64');
    const webhook: LocalWebhook = {
      answer(path, review, timeoutMs, signal) {
        paths.push(`${path} ${timeoutMs}`);
        return answering({ allowed: true, patch, patchType: 'JSONPatch' }).answer(path, review, timeoutMs, signal);
      },
    };
    const served = api.localWebhooks.serve(service, webhook);
    expect((await create()).data).toEqual({ a: '1', b: '2' });
    expect(paths).toEqual(['/review 1000']);
    expect(() => api.localWebhooks.serve(service, webhook)).toThrow(
      'default/hook has webhooks in this process already',
    );
    served[Symbol.dispose]();
    expect((await create()).message).toContain('failed calling webhook "hook.example.com"');
  });

  test('is not asked about what it lets pass in any case', async () => {
    const seen: object[] = [];
    using _ = api.localWebhooks.serve(service, {
      ...answering({ allowed: false }),
      passes(path, { operation, subresource }) {
        seen.push({ path, operation, subresource });
        return true;
      },
    });
    expect((await create()).data).toEqual({ a: '1' });
    expect(seen).toEqual([{ path: '/review', operation: 'CREATE', subresource: '' }]);
  });

  test('refuses as any other does', async () => {
    using _ = api.localWebhooks.serve(service, answering({ allowed: false, status: { message: 'no', code: 403 } }));
    expect((await create()).message).toBe('admission webhook "hook.example.com" denied the request: no');
  });

  test('is waited for while its process starts, and lets that process install its objects meanwhile', async () => {
    using _ = api.localWebhooks.expect(service, 'installer');
    const waiting = create('of-a-user');
    expect((await create('settings', { ...user, name: 'installer' })).data).toEqual({ a: '1' });
    const patch = Buffer.from('[{"op":"add","path":"/data/b","value":"2"}]').toString('base64');
    using __ = api.localWebhooks.serve(service, answering({ allowed: true, patch, patchType: 'JSONPatch' }));
    expect((await waiting).data).toEqual({ a: '1', b: '2' });
    expect((await create('later', { ...user, name: 'installer' })).data).toEqual({ a: '1', b: '2' });
  });

  test('is missing, as before, when its process gives up or takes longer than the configuration allows', async () => {
    const expectation = api.localWebhooks.expect(service, 'installer');
    expect((await create()).message).toContain('context deadline exceeded');
    expectation[Symbol.dispose]();
    expect((await create()).message).toContain('service "hook" not found');
    expect((await create('settings', { ...user, name: 'installer' })).message).toContain('service "hook" not found');
  });

  test('fails as any other does: by what it says, by saying nonsense, and by silence', async () => {
    const fail = async (answer: () => Promise<{ code: number; body: object }>) => {
      using _ = api.localWebhooks.serve(service, { answer });
      return (await create()).message;
    };
    const failed = 'Internal error occurred: failed calling webhook "hook.example.com":';
    expect(await fail(() => Promise.resolve({ code: 500, body: { message: 'it broke' } }))).toBe(
      `${failed} failed to call webhook: it broke`,
    );
    expect(await fail(() => Promise.resolve({ code: 200, body: {} }))).toContain('webhook response was absent');
    expect(await fail(() => new Promise(() => {}))).toBe(
      `${failed} failed to call webhook: Post "https://hook.default.svc:443/review?timeout=1s": context deadline exceeded`,
    );
  });
});

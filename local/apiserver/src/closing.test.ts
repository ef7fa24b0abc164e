import { expect, it } from 'vitest';
import { ApiServer } from './server.ts';

const user = { name: 'admin', groups: ['system:masters'] };

it('answers requests that are under way when it closes with 503, and reports no internal error', async () => {
  const failures: unknown[] = [];
  const server = await ApiServer.create({ onError: (error) => failures.push(error) });
  const service = { namespace: 'default', name: 'hook' };
  const post = (path: string, body: object) =>
    server.handle({ method: 'POST', path, query: new URLSearchParams(), headers: {}, user, body });
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    server.localWebhooks.serve(service, {
      answer: (_, review) =>
        new Promise((done) => {
          const { uid } = (review as { request: { uid: string } }).request;
          const response = { uid, allowed: true };
          answer = () =>
            done({ code: 200, body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } });
          resolve();
        }),
    });
  });
  await post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { service },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const writing = post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'late' } });
  await asked;
  await server.close();
  answer();
  expect(await writing).toMatchObject({ code: 503, object: { message: 'the server is shutting down' } });
  expect(failures).toEqual([]);
});

import { kinds } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { retireWebhooks } from './retire-webhooks.ts';
import { validatingWebhook } from './validating-webhook.ts';

const ours = { namespace: 'default', name: 'ours' };
const other = { namespace: 'default', name: 'other' };

const entry = (name: string, service: typeof ours) => ({
  name,
  clientConfig: { service },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

test('entries of a Service that are served no more are removed, and with the last one their configuration', async () => {
  await using plane = await startControlPlane();
  const { client } = plane;
  const kind = kinds.ValidatingWebhookConfiguration;
  const create = (name: string, ...webhooks: ReturnType<typeof entry>[]) =>
    client.create(kind, { metadata: { name }, webhooks } as never);
  await create('served', entry('served.example.com', ours));
  await create('retired', entry('retired.example.com', ours));
  await create('shared', entry('part.example.com', ours), entry('stranger.example.com', other));
  await create('stranger', entry('served.example.com', other));
  const served = validatingWebhook({ name: 'served.example.com', rules: [] });
  expect(await retireWebhooks(client, ours, [served])).toEqual(['retired.example.com', 'part.example.com']);
  const left = (await client.list(kind)).items.map(({ metadata, webhooks }) => [
    metadata.name,
    webhooks?.map(({ name }) => name),
  ]);
  expect(left).toEqual([
    ['served', ['served.example.com']],
    ['shared', ['stranger.example.com']],
    ['stranger', ['served.example.com']],
  ]);
  expect(await retireWebhooks(client, ours, [served])).toEqual([]);
});

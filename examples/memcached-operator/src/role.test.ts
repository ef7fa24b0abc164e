import { kinds } from '@tektite/client';
import { clusterRoleFor, installKinds, namespaceRoleFor, startSystems } from '@tektite/controller';
import { recordingTransport, startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { Memcached, system } from './index.ts';

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });
const namespace = 'default';
/** The server checks this permission when owner references are guarded; no request shows it. */
const ownership = 'update cache.example.com/memcacheds/finalizers';

it('its roles allow what the operator does, and nothing else', { timeout: 30_000 }, async () => {
  await using plane = await startControlPlane();
  const { client } = plane;
  await installKinds(client, system.kinds);
  const recorded = recordingTransport(plane.transport());
  const start = () =>
    startSystems([system], {
      client: plane.clientFor(recorded),
      install: false,
      graceMs: 0,
      webhooks: {
        service: { namespace, name: 'webhook' },
        port: 0,
        url: (port: number) => `https://127.0.0.1:${port}`,
      },
      election: { namespace, buckets: 1, leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 50 },
    });
  const count = async (reason: string) =>
    (await client.list(kinds.Event)).items.find((each) => each.reason === reason)?.count ?? 0;
  const key = { namespace, name: 'a' };
  {
    await using _ = await start();
    await client.create(Memcached, { metadata: key, spec: { size: 1, port: 11211 } });
    await eventually(async () => (await client.get(Memcached, key)).status?.conditions?.length).toBe(1);
    await client.scale(kinds.Deployment, key, 5);
    await eventually(() => count('Scaling')).toBeGreaterThan(1);
    await client.delete(Memcached, key);
    await eventually(async () => (await client.list(Memcached)).items.length).toBe(0);
    await eventually(() => count('Deleting')).toBe(1);
  }
  // Written only when they need a change: an expired certificate, and the address of another process.
  const secret = await client.get(kinds.Secret, { namespace, name: 'webhook-certs' });
  await client.update(kinds.Secret, { ...secret, data: {} });
  await using _ = await start();
  const { missing, unused } = recorded.compare([
    ...(clusterRoleFor(system).rules ?? []),
    ...(namespaceRoleFor(system, { namespace, webhookService: 'webhook' }).rules ?? []),
  ]);
  expect({ missing, unused }).toEqual({ missing: [], unused: [ownership] });
});

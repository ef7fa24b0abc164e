import { kinds } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { electionFlags, electionOf } from './election-options.ts';

let plane: Awaited<ReturnType<typeof startControlPlane>>;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane.close());

const namespace = 'default';
const place = { systemNamespace: namespace };
const named = { CONFIG_LEADERELECTION_NAME: 'config-leader-election-controller' };

async function configure(data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { namespace, name: named.CONFIG_LEADERELECTION_NAME };
  await plane.client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as never, { force: true });
}

describe('the election of a controller', () => {
  it('has one bucket where nothing else is said', async () => {
    expect(await electionOf(plane.client, place, {}, {})).toEqual({ namespace, buckets: 1 });
    expect(await electionOf(plane.client, place, {}, { CONFIG_LEADERELECTION_NAME: 'missing' })).toMatchObject({
      buckets: 1,
    });
  });

  it('has the buckets that an operator writes, and keeps short Leases', async () => {
    await configure({ buckets: '4' });
    expect(await electionOf(plane.client, place, {}, named)).toEqual({ namespace, buckets: 4, prefixes: {} });
  });

  it('is none for Pods of a StatefulSet, which have the bucket of their number', async () => {
    await configure({ buckets: '3' });
    const pod = { ...named, STATEFUL_CONTROLLER_ORDINAL: 'controller-2', STATEFUL_SERVICE_NAME: 'controller' };
    const ordinal = { statefulSet: 'controller', ordinal: 2, service: 'controller', namespace, buckets: 3 };
    expect(await electionOf(plane.client, place, {}, pod)).toEqual({ ordinal });
  });

  it('follows the times of the ConfigMap, and flags before it', async () => {
    await configure({ buckets: '4', 'lease-duration': '30s', 'renew-deadline': '20s', 'retry-period': '5s' });
    const flags = electionFlags({ buckets: '2', leaderElectRetryPeriod: '1s' });
    expect(await electionOf(plane.client, place, flags, named)).toMatchObject({
      buckets: 2,
      leaseDurationMs: 30_000,
      renewDeadlineMs: 20_000,
      retryPeriodMs: 1000,
    });
    await plane.client.delete(kinds.ConfigMap, { namespace, name: named.CONFIG_LEADERELECTION_NAME });
  });
});

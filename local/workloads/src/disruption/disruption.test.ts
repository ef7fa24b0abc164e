import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'web' };

describe('a PodDisruptionBudget', () => {
  it.each([
    [{ minAvailable: 2 }, { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 }],
    [{ maxUnavailable: '34%' }, { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 }],
    [{ minAvailable: '100%' }, { disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 3, expectedPods: 3 }],
  ])('with %o says how many Pods may go', async (limit, expected) => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const selector = { matchLabels: { app: 'web' } };
    await client.create(kinds.Deployment, {
      metadata: key,
      spec: { replicas: 3, selector, template: template('web') },
    });
    await client.create(kinds.PodDisruptionBudget, { metadata: key, spec: { selector, ...limit } });
    await cluster.settle();
    const { status } = await client.get(kinds.PodDisruptionBudget, key);
    const allowed = expected.disruptionsAllowed > 0;
    expect(status).toMatchObject({
      ...expected,
      observedGeneration: 1,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: allowed ? 'True' : 'False',
          reason: allowed ? 'SufficientPods' : 'InsufficientPods',
          observedGeneration: 1,
        },
      ],
    });
  });

  it('keeps a Pod from being evicted when it is needed', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Pod, { ...template('web'), metadata: { ...template('web').metadata, ...key } });
    await client.create(kinds.PodDisruptionBudget, {
      metadata: key,
      spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 },
    });
    await cluster.settle();
    await expect(client.evict(key)).rejects.toThrow(
      "Cannot evict pod as it would violate the pod's disruption budget.",
    );
  });
});

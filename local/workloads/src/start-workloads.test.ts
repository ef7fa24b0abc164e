import { kinds } from '@tektite/client';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { startWorkloads } from './start-workloads.ts';
import { createNode, template } from './test-support.ts';

describe('the controllers of a cluster', () => {
  it('leave no timer behind when they stop, and go on where they stopped', async () => {
    const clock = virtualClock();
    const plane = await startControlPlane({ clock });
    const before = clock.pendingTimers;
    const first = await clock.until(startWorkloads({ client: plane.client }));
    await createNode(plane.client, 'node-1');
    const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('web') };
    await plane.client.create(kinds.Deployment, { metadata: { namespace: 'default', name: 'web' }, spec });
    await clock.advance(1000);
    await clock.until(first.stop());
    expect(clock.pendingTimers).toBe(before);
    await plane.client.scale(kinds.Deployment, { namespace: 'default', name: 'web' }, 3);
    await clock.advance(1000);
    expect((await plane.client.list(kinds.Pod)).items).toHaveLength(1);
    const second = await clock.until(startWorkloads({ client: plane.client }));
    await clock.advance(1000);
    expect((await plane.client.list(kinds.Pod)).items.filter(({ spec: pod }) => pod?.nodeName)).toHaveLength(3);
    await clock.until(second.stop());
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('write nothing when there is nothing to do', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const workloads = await clock.until(startWorkloads({ client: plane.client, rootCertificate: 'PEM' }));
    await clock.advance(10_000);
    const version = async () => (await plane.client.list(kinds.Namespace)).metadata.resourceVersion;
    const before = await version();
    await clock.advance(3_600_000);
    expect(await version()).toBe(before);
    await clock.until(workloads.stop());
  });
});

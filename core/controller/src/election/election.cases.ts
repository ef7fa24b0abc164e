import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { BucketElection } from './bucket-election.ts';
import { fencedClient } from './fenced-client.ts';
import { type ElectionTransition, LeaderElector, type LeaderElectorOptions } from './leader-elector.ts';

/** Short enough for real time, long enough for a busy machine. */
const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };
const patience = { timeout: 20_000, interval: 20 };

/** Cases of an election on any server of the Kubernetes API, in real time. Each case uses different leases. */
export function electionCases(cluster: () => Cluster): void {
  function run(runnable: { run(signal: AbortSignal): Promise<void> }) {
    const controller = new AbortController();
    const done = runnable.run(controller.signal);
    const stop = async () => {
      controller.abort();
      await done;
    };
    onTestFinished(stop);
    return stop;
  }
  function elector(name: string, identity: string, options: Partial<LeaderElectorOptions> = {}, client?: Client) {
    const lease = { namespace: 'default', name };
    return new LeaderElector(client ?? cluster().client, { ...timing, lease, identity, ...options });
  }
  const leaseOf = (name: string) => cluster().client.get(kinds.Lease, { namespace: 'default', name });

  it('writes a Lease as upstream does, and renews it', async () => {
    const one = elector('written', 'one');
    run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    const first = await leaseOf('written');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const spec = { holderIdentity: 'one', leaseDurationSeconds: 3, leaseTransitions: 0 };
    expect(first.spec).toEqual({ ...spec, acquireTime: time, renewTime: time });
    await expect.poll(async () => (await leaseOf('written')).spec?.renewTime, patience).not.toBe(first.spec?.renewTime);
    expect((await leaseOf('written')).spec).toMatchObject({ ...spec, acquireTime: first.spec?.acquireTime });
  });

  it('lets one of several lead, and another at once when that one stops', async () => {
    const transitions: ElectionTransition[] = [];
    const electors = ['one', 'two', 'three'].map((identity) =>
      elector('several', identity, { onTransition: (transition) => transitions.push(transition) }),
    );
    const stops = electors.map((each) => run(each));
    const leaders = () => electors.filter(({ leading }) => leading);
    await expect.poll(leaders, patience).toHaveLength(1);
    const [first] = leaders();
    const signal = first?.signalFor();
    const started = performance.now();
    await stops[electors.indexOf(first as LeaderElector)]?.();
    expect(signal?.aborted).toBe(true);
    await expect.poll(leaders, patience).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(timing.leaseDurationMs);
    expect(leaders()).not.toContain(first);
    expect((await leaseOf('several')).spec?.leaseTransitions).toBe(1);
    expect(transitions).toContainEqual(expect.objectContaining({ type: 'released', holder: '' }));
  });

  it('says when a lease was given away', async () => {
    const one = elector('given', 'one');
    const stop = run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    await stop();
    expect((await leaseOf('given')).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
  });

  it('waits for a holder that gives no sign of life as long as its lease says, and no longer', async () => {
    const spec = { holderIdentity: 'dead', leaseDurationSeconds: 1, leaseTransitions: 4 };
    await cluster().client.create(kinds.Lease, { metadata: { namespace: 'default', name: 'dead' }, spec });
    const started = performance.now();
    const one = elector('dead', 'one');
    run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
    expect((await leaseOf('dead')).spec).toMatchObject({ holderIdentity: 'one', leaseTransitions: 5 });
  });

  it('stops leading when another holder is written into the lease', async () => {
    const one = elector('stolen', 'one');
    run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    const signal = one.signalFor();
    await expect
      .poll(async () => {
        const lease = await leaseOf('stolen');
        const spec = { ...lease.spec, holderIdentity: 'thief', leaseDurationSeconds: 60 };
        await cluster().client.update(kinds.Lease, { ...lease, spec });
        return true;
      }, patience)
      .toBe(true);
    await expect.poll(() => signal.aborted, patience).toBe(true);
    expect(one.leading).toBe(false);
    await expect.poll(() => one.leader, patience).toBe('thief');
  });

  it('leads again after its lease was deleted', async () => {
    const one = elector('deleted', 'one');
    run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    await cluster().client.delete(kinds.Lease, { namespace: 'default', name: 'deleted' });
    await expect.poll(() => leaseOf('deleted').catch(() => undefined), patience).toBeDefined();
    await expect.poll(() => one.leading, patience).toBe(true);
  });

  it('reports what is forbidden and retries', async () => {
    const errors: unknown[] = [];
    const stranger = cluster().clientFor({ name: 'stranger', groups: ['system:authenticated'] });
    const one = elector('forbidden', 'one', { onError: (error) => errors.push(error) }, stranger);
    run(one);
    await expect.poll(() => errors.length, patience).toBeGreaterThan(1);
    expect(isStatusError(errors[0], 'Forbidden')).toBe(true);
    expect(one.leading).toBe(false);
  });

  it('refuses to write for who has stopped, and waits for what was sent before', async () => {
    const { client } = cluster();
    const one = elector('fenced', 'one');
    const stop = run(one);
    await expect.poll(() => one.leading, patience).toBe(true);
    const fence = fencedClient(client, one.signalFor(), { ownership: one, key: 'default/fenced' });
    const metadata = { namespace: 'default', name: 'fenced' };
    const sent = fence.create(kinds.ConfigMap, { metadata });
    await stop();
    expect((await sent).metadata.uid).toBeDefined();
    await expect(fence.delete(kinds.ConfigMap, metadata)).rejects.toSatisfy((error) =>
      isControllerError(error, 'WRITE_FENCED'),
    );
    expect((await fence.get(kinds.ConfigMap, metadata)).metadata.name).toBe('fenced');
  });

  it('shares buckets between processes, and hands them on', async () => {
    const options = { ...timing, namespace: 'default', component: 'test', queue: 'Things', buckets: 4 };
    const elections = ['one', 'two'].map((identity) => new BucketElection(cluster().client, { ...options, identity }));
    const gained: string[] = [];
    elections[1]?.onGained((owns) => {
      if (owns('default/a')) gained.push('default/a');
    });
    const [stopFirst] = elections.map((election) => run(election));
    const held = () => elections.flatMap((election) => election.held).sort();
    const all = ['test.things.00-of-04', 'test.things.01-of-04', 'test.things.02-of-04', 'test.things.03-of-04'];
    await expect.poll(held, patience).toEqual(all);
    expect(elections.filter((election) => election.owns('default/a'))).toHaveLength(1);
    await stopFirst?.();
    await expect.poll(() => elections[1]?.held, patience).toEqual(all);
    expect(elections[0]?.held).toEqual([]);
    expect(elections[1]?.owns('default/a')).toBe(true);
    expect(gained).toEqual(['default/a']);
  });
}

import { kinds, type Transport } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { simulatedProcess, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaderElector } from './leader-elector.ts';
import { LeaseWatch } from './lease-watch.ts';

const lease = { namespace: 'default', name: 'leader' };
const timing = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 1000 };

async function start(seed: number) {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const plane = await startControlPlane({ clock, seed });
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  onTestFinished(async () => {
    stop.abort();
    await clock.until(Promise.all(running));
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
  let reads = 0;
  /** Counts reads of the Lease, and may leave the watch without events. */
  const counted = (silent: boolean): Transport => {
    const inner = plane.transport();
    return {
      stream: (request) => inner.stream(request),
      close: () => inner.close(),
      watch: (request) =>
        inner.watch(silent ? { ...request, path: request.path.replace('leases', 'configmaps') } : request),
      request: (request) => {
        if (request.method === 'GET' && request.path.endsWith('/leases/leader')) reads++;
        return inner.request(request);
      },
    };
  };
  /** Waits for the lease, and watches it. */
  const candidate = (identity: string, { silent = false } = {}) => {
    const client = plane.clientFor(counted(silent), { clock, random });
    const watch = new LeaseWatch(client, 'default');
    const elector = new LeaderElector(client, { ...timing, lease, identity, watch });
    running.push(watch.run(stop.signal), elector.run(stop.signal));
    return elector;
  };
  const doomed = async () => {
    const process = simulatedProcess({ clock, random });
    const client = plane.clientFor(process.transport(plane.transport()), { clock: process.clock, random });
    const elector = new LeaderElector(client, { ...timing, lease, identity: 'doomed' });
    const stopping = new AbortController();
    const done = elector.run(stopping.signal);
    await clock.advance(1000);
    expect(elector.leading).toBe(true);
    const release = () => {
      stopping.abort();
      return clock.until(done);
    };
    return { kill: () => process.kill(), release };
  };
  const followed = async (elector: LeaderElector) => {
    const since = clock.monotonic();
    while (!elector.leading) await clock.advance(20);
    return clock.monotonic() - since;
  };
  return { clock, random, candidate, doomed, followed, reads: () => reads };
}

describe('a candidate that watches the lease', () => {
  it('follows a holder that was killed when the lease of its last renewal expires', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, random, candidate, doomed, followed } = await start(seed);
      const { kill } = await doomed();
      const rival = candidate('rival');
      await clock.advance(2000 + random.next() * 10_000);
      kill();
      const delay = await followed(rival);
      expect(delay).toBeGreaterThan(timing.leaseDurationMs - timing.retryPeriodMs - 50);
      expect(delay).toBeLessThan(timing.leaseDurationMs + 0.2 * timing.retryPeriodMs + 100);
    }
  });

  it('follows a holder that releases the lease at once', async () => {
    const { clock, candidate, doomed, followed } = await start(1);
    const { release } = await doomed();
    const rival = candidate('rival');
    await clock.advance(10_000);
    await release();
    expect(await followed(rival)).toBeLessThan(100);
  });

  it('does not read the lease while its holder renews it', async () => {
    const { clock, candidate, doomed, reads } = await start(1);
    const { release } = await doomed();
    candidate('rival');
    await clock.advance(5000);
    const before = reads();
    await clock.advance(60_000);
    expect(reads()).toBe(before);
    await release();
  });

  it('reads the lease when the watch is silent, and takes nothing that its holder renews', async () => {
    const { clock, candidate, doomed, followed, reads } = await start(1);
    const { kill } = await doomed();
    const rival = candidate('rival', { silent: true });
    await clock.advance(60_000);
    expect(rival.leading).toBe(false);
    expect(reads()).toBeGreaterThan(20);
    kill();
    expect(await followed(rival)).toBeLessThan(timing.leaseDurationMs + 3 * timing.retryPeriodMs);
  });
});

it('the watch reports a Lease that was deleted as none', async () => {
  const clock = virtualClock();
  await using plane = await startControlPlane({ clock });
  const watch = new LeaseWatch(plane.client, 'default');
  const holders: (string | undefined)[] = [];
  const stop = new AbortController();
  const done = watch.run(stop.signal);
  const subscription = watch.subscribe('leader', (seen) => holders.push(seen?.spec?.holderIdentity));
  await clock.advance(100);
  await plane.client.create(kinds.Lease, { metadata: lease, spec: { holderIdentity: 'one' } });
  await plane.client.create(kinds.Lease, { metadata: { ...lease, name: 'other' }, spec: { holderIdentity: 'two' } });
  await plane.client.delete(kinds.Lease, lease);
  await clock.advance(100);
  subscription[Symbol.dispose]();
  await plane.client.create(kinds.Lease, { metadata: lease, spec: { holderIdentity: 'three' } });
  await clock.advance(100);
  expect(holders).toEqual(['one', undefined]);
  stop.abort();
  await clock.until(done);
});

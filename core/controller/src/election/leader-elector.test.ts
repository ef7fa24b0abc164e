import { type Client, ClientError, kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import {
  type ControlPlane,
  faultyTransport,
  simulatedProcess,
  startControlPlane,
  virtualClock,
} from '@tektite/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { BucketElection } from './bucket-election.ts';
import { fencedClient } from './fenced-client.ts';
import { LeaderElector, type LeaderElectorOptions } from './leader-elector.ts';

const lease = { namespace: 'default', name: 'leader' };

async function start(seed = 1) {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock, seed });
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await clock.until(Promise.all(stops.map((stop) => stop())));
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
  function run<T extends { run(signal: AbortSignal): Promise<void> }>(runnable: T) {
    const controller = new AbortController();
    const done = runnable.run(controller.signal);
    const stop = () => {
      controller.abort();
      return done;
    };
    stops.push(stop);
    return { runnable, stop };
  }
  const elect = (identity: string, options: Partial<LeaderElectorOptions> = {}, client: Client = plane.client) => {
    const { runnable: elector, stop } = run(new LeaderElector(client, { lease, identity, ...options }));
    return { elector, stop };
  };
  return { clock, plane, run, elect };
}

/** A process with a connection that can be cut. */
function cuttable(plane: ControlPlane) {
  let cut = false;
  const inner = plane.transport();
  const transport: ReturnType<ControlPlane['transport']> = {
    request: (request) => (cut ? hang(request.signal) : inner.request(request)),
    watch: (request) => inner.watch(request),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
  return { client: plane.clientFor(transport), cut: () => (cut = true) };
}

/** A connection on which writes reach the server and their answers are lost. */
function losingWrites(plane: ControlPlane) {
  let healthy = false;
  const inner = plane.transport();
  const transport: ReturnType<ControlPlane['transport']> = {
    request: async (request) => {
      const response = await inner.request(request);
      if (!healthy && request.method !== 'GET') throw new ClientError('CONNECTION_RESET', 'lost');
      return response;
    },
    watch: (request) => inner.watch(request),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
  return { client: plane.clientFor(transport), heal: () => (healthy = true) };
}

const hang = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a leader', () => {
  it('gives up at the renew deadline when the server does not answer, and others follow when the lease expires', async () => {
    const { clock, plane, elect } = await start();
    const { client, cut } = cuttable(plane);
    const one = elect('one', {}, client);
    await clock.advance(1_000);
    const two = elect('two');
    await clock.advance(20_000);
    expect([one.elector.leading, two.elector.leading]).toEqual([true, false]);
    const signal = one.elector.signalFor();
    cut();
    const cutAt = clock.monotonic();
    const lostAt = new Promise<number>((resolve) =>
      signal.addEventListener('abort', () => resolve(clock.monotonic() - cutAt)),
    );
    expect(await clock.until(lostAt)).toBeLessThanOrEqual(10_000);
    expect(one.elector.owns()).toBe(false);
    expect(two.elector.leading).toBe(false);
    while (!two.elector.leading) await clock.advance(100);
    expect(clock.monotonic() - cutAt).toBeGreaterThanOrEqual(13_000);
    expect(clock.monotonic() - cutAt).toBeLessThanOrEqual(15_000 + 2_000 * 2.2 + 100);
  });

  it('is followed within the lease and two tries after it was killed', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, plane, elect } = await start(seed);
      const random = seededRandom(seed);
      const process = simulatedProcess({ clock, random });
      const client = plane.clientFor(process.transport(plane.transport()), { clock: process.clock, random });
      const doomed = new LeaderElector(client, { lease, identity: 'doomed' });
      void doomed.run(new AbortController().signal);
      await clock.advance(1_000);
      const rival = elect('rival');
      await clock.advance(random.next() * 30_000);
      expect(rival.elector.leader).toBe('doomed');
      process.kill();
      const killedAt = clock.monotonic();
      while (!rival.elector.leading) await clock.advance(100);
      expect(clock.monotonic() - killedAt).toBeLessThanOrEqual(15_000 + 2_000 * 2.2 * 2);
    }
  });

  it('does not own the lease after a long pause, before any timer fires', async () => {
    const { clock, plane } = await start();
    const process = simulatedProcess({ clock, random: seededRandom(1) });
    const client = plane.clientFor(process.transport(plane.transport()), { clock: process.clock });
    const elector = new LeaderElector(client, { lease, identity: 'sleeper' });
    void elector.run(new AbortController().signal);
    await clock.advance(5_000);
    const signal = elector.signalFor();
    const fence = fencedClient(client, signal, { ownership: elector, key: 'default/a' });
    process.pause();
    await clock.advance(30_000);
    expect(signal.aborted).toBe(false);
    expect(elector.leading).toBe(false);
    await expect(fence.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'late' } })).rejects.toSatisfy(
      (error) => isControllerError(error, 'WRITE_FENCED'),
    );
    process.kill();
  });

  it('gives the lease away only when its work is done, and others have it at their next try', async () => {
    const { clock, elect } = await start();
    const { promise: finished, resolve: finish } = deferred();
    const one = elect('one', { handOver: () => finished });
    await clock.advance(1_000);
    const two = elect('two');
    await clock.advance(1_000);
    const signal = one.elector.signalFor();
    const stopped = one.stop();
    await clock.advance(6_000);
    expect(signal.aborted).toBe(true);
    expect(two.elector.leading).toBe(false);
    finish();
    await clock.advance(2_000 * 2.2);
    await stopped;
    expect(two.elector.leading).toBe(true);
  });

  it('lets the lease run out when its work does not end', async () => {
    const { clock, elect, plane } = await start();
    const types: string[] = [];
    const handOver = () => new Promise<void>(() => {});
    const one = elect('one', { handOver, onTransition: ({ type }) => types.push(type) });
    await clock.advance(3_000);
    await clock.until(one.stop());
    expect((await plane.client.get(kinds.Lease, lease)).spec?.holderIdentity).toBe('one');
    expect(types).toEqual(['acquired', 'lost']);
  });

  it('waits out a write whose answer was lost before it gives the lease away', async () => {
    const { clock, elect, plane } = await start();
    const one = elect('one');
    await clock.advance(1_000);
    const losing = plane.clientFor(
      faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates: { lose: 1 } }),
    );
    const fence = fencedClient(losing, one.elector.signalFor(), { ownership: one.elector, key: 'default/a' });
    await expect(fence.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'lost' } })).rejects.toThrow();
    const started = clock.monotonic();
    await clock.until(one.stop());
    // As long as between the renew deadline and the end of the lease.
    expect(clock.monotonic() - started).toBe(5_000);
    expect((await plane.client.get(kinds.Lease, lease)).spec?.holderIdentity).toBe('');
  });

  it('finds out that it leads when the answer was lost', async () => {
    const { clock, plane, elect } = await start();
    const deaf = losingWrites(plane);
    const one = elect('one', {}, deaf.client);
    await clock.advance(1_000);
    expect((await plane.client.get(kinds.Lease, lease)).spec?.holderIdentity).toBe('one');
    expect(one.elector.leading).toBe(false);
    deaf.heal();
    await clock.advance(2_000 * 2.2);
    expect(one.elector.leading).toBe(true);
    expect((await plane.client.get(kinds.Lease, lease)).spec?.leaseTransitions).toBe(0);
  });

  it('leaves nothing behind when it is stopped after the answer to its first try was lost', async () => {
    const { clock, plane, elect } = await start();
    const deaf = losingWrites(plane);
    const one = elect('one', {}, deaf.client);
    await clock.advance(100);
    const holder = async () => (await plane.client.get(kinds.Lease, lease)).spec?.holderIdentity;
    expect(await holder()).toBe('one');
    await clock.until(one.stop());
    expect(await holder()).toBe('');
  });

  it('can be listened to by all who work, without a word from Node', async () => {
    const { clock, elect } = await start();
    const warnings: string[] = [];
    const listen = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const one = elect('one');
    await clock.advance(1_000);
    for (let i = 0; i < 50; i++) one.elector.signalFor().addEventListener('abort', () => {});
    await clock.advance(1);
    expect(warnings).toEqual([]);
  });

  it('cannot be run twice, and needs a name', async () => {
    const { elect, plane } = await start();
    const one = elect('one');
    await expect(one.elector.run(new AbortController().signal)).rejects.toThrow('running already');
    expect(() => new LeaderElector(plane.client, { lease, identity: '' })).toThrow('identity must not be empty');
  });
});

describe('buckets', () => {
  it('are spread over processes that start together, and overlap at no moment while those come and go', async () => {
    const { clock, plane, run } = await start(3);
    const options = { namespace: 'default', component: 'c', queue: 'q', buckets: 10 };
    const launch = (identity: string) => run(new BucketElection(plane.client, { ...options, identity }));
    const processes = ['a', 'b', 'c'].map(launch);
    const overlaps: string[] = [];
    const pass = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += 100) {
        await clock.advance(100);
        const held = processes.flatMap(({ runnable }) => runnable.held);
        if (new Set(held).size !== held.length) overlaps.push(`${clock.monotonic()}: ${held.join(' ')}`);
      }
    };
    const shares = () => processes.map(({ runnable }) => runnable.held.length);
    await pass(20_000);
    expect(shares().reduce((sum, share) => sum + share, 0)).toBe(10);
    expect(Math.min(...shares())).toBeGreaterThanOrEqual(2);
    processes.push(launch('d'));
    void processes[0]?.stop();
    await pass(20_000);
    expect(shares()[0]).toBe(0);
    expect(shares()[3]).toBeGreaterThanOrEqual(1);
    expect(shares().reduce((sum, share) => sum + share, 0)).toBe(10);
    expect(overlaps).toEqual([]);
    expect(new Set(processes[1]?.runnable.leaders.values())).toEqual(new Set(['b', 'c', 'd']));
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

import { kinds, mergePatch, type Transport } from '@tektite/client';
import { type Random, seededRandom, sleep } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import {
  type ControlPlane,
  faultyTransport,
  type FaultyTransport,
  simulatedProcess,
  type SimulatedProcess,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '@tektite/testkit';
import { expect, it } from 'vitest';
import { fencedClient } from './fenced-client.ts';
import { LeaderElector } from './leader-elector.ts';
import { LeaseWatch } from './lease-watch.ts';

const lease = { namespace: 'default', name: 'leader' };
const shared = { namespace: 'default', name: 'shared' };
const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const rates = { refuse: 0.1, lose: 0.1, conflict: 0.05, overload: 0.05, delay: 0.3 };

/** The writes of the server, in its order. */
type Entry = { readonly type: 'lease'; readonly holder: string } | { readonly type: 'work'; readonly by: string };

interface Candidate {
  readonly process: SimulatedProcess;
  readonly elector: LeaderElector;
  readonly transport: FaultyTransport;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Several processes compete while their connections fail, their clocks disagree, and they are stopped and killed. */
class Storm {
  readonly log: Entry[] = [];
  private readonly clock: VirtualClock;
  private readonly plane: ControlPlane;
  private readonly random: Random;
  private candidates: Candidate[] = [];
  private born = 0;

  constructor(clock: VirtualClock, plane: ControlPlane, random: Random) {
    this.clock = clock;
    this.plane = plane;
    this.random = random;
  }

  /** Sits right at the server, behind everything that can go wrong. */
  private recorded(by: string): Transport {
    const inner = this.plane.transport();
    return {
      watch: (request) => inner.watch(request),
      stream: (request) => inner.stream(request),
      close: () => inner.close(),
      request: async (request) => {
        const response = await inner.request(request);
        if (request.method !== 'GET' && response.status < 300) {
          if (request.path.includes('/leases'))
            this.log.push({ type: 'lease', holder: (response.body as Lease).spec?.holderIdentity ?? '' });
          else this.log.push({ type: 'work', by });
        }
        return response;
      },
    };
  }

  add(): void {
    const identity = `process-${this.born++}`;
    const { clock, random, plane } = this;
    const rate = 0.9 + random.next() * 0.2;
    const process = simulatedProcess({ clock, random, rate, aheadMs: (random.next() - 0.5) * 7_200_000 });
    const transport = faultyTransport(this.recorded(identity), { clock, random, rates, maxDelayMs: 1_000 });
    const client = plane.clientFor(process.transport(transport), { clock: process.clock, random });
    const watch = new LeaseWatch(client, lease.namespace);
    // Some know Leases by the watch, the others by reading them.
    const watches = this.born % 2 === 0;
    const elector = new LeaderElector(client, { ...timing, lease, identity, ...(watches ? { watch } : {}) });
    const stop = new AbortController();
    if (watches) void watch.run(stop.signal);
    const work = async () => {
      while (!stop.signal.aborted) {
        // Holds on to the fence while it thinks, as a slow reconciler would.
        const fence = fencedClient(client, elector.signalFor(), { ownership: elector, key: 'default/shared' });
        for (let step = 0; step < 4; step++) {
          await sleep(process.clock, 500 + random.next() * 1_000);
          await fence.patch(kinds.ConfigMap, shared, mergePatch({ data: { by: identity } })).catch(() => {});
        }
      }
    };
    void work();
    this.candidates.push({ process, elector, transport, stop, done: elector.run(stop.signal) });
  }

  /** Injects a fault into a process. */
  async strike(): Promise<void> {
    const { random, candidates } = this;
    const candidate = candidates[Math.floor(random.next() * candidates.length)] as Candidate;
    const what = random.next();
    if (what < 0.6) {
      candidate.process.pause();
      await this.clock.advance(random.next() * 40_000);
      await candidate.process.resume();
    } else {
      this.candidates = candidates.filter((other) => other !== candidate);
      if (what < 0.8) candidate.process.kill();
      else candidate.stop.abort();
      this.add();
      await this.clock.advance(random.next() * 10_000);
    }
  }

  heal(): void {
    for (const { transport } of this.candidates) transport.heal();
  }

  get leaders(): string[] {
    return this.candidates.filter(({ elector }) => elector.leading).map(({ elector }) => elector.identity);
  }

  async end(): Promise<void> {
    for (const { stop } of this.candidates) stop.abort();
    await this.clock.until(Promise.all(this.candidates.map(({ done }) => done)));
  }
}

/** Every piece of work that the server accepted from a process that did not hold the lease. */
function intrusions(log: readonly Entry[]): string[] {
  const wrong: string[] = [];
  let holder = '';
  for (const entry of log) {
    if (entry.type === 'lease') holder = entry.holder;
    else if (entry.by !== holder) wrong.push(`${entry.by} wrote while ${holder || 'nobody'} led`);
  }
  return wrong;
}

async function storm(seed: number): Promise<{ terms: number; work: number }> {
  const clock = virtualClock();
  const random = seededRandom(seed);
  await using plane = await startControlPlane({ clock, seed });
  await plane.client.create(kinds.ConfigMap, { metadata: shared });
  const test = new Storm(clock, plane, random);
  for (let i = 0; i < 3; i++) test.add();
  for (let i = 0; i < 8; i++) {
    await clock.advance(random.next() * 20_000);
    await test.strike();
  }
  test.heal();
  await clock.advance(40_000);
  expect(intrusions(test.log), `seed ${seed}`).toEqual([]);
  expect(test.leaders, `seed ${seed}`).toHaveLength(1);
  await test.end();
  expect(intrusions(test.log), `seed ${seed}`).toEqual([]);
  const holders = test.log.flatMap((entry) => (entry.type === 'lease' ? [entry.holder] : []));
  expect(holders.at(-1), `seed ${seed}`).toBe('');
  return {
    terms: holders.filter((holder, index) => holder !== '' && holder !== holders[index - 1]).length,
    work: test.log.filter(({ type }) => type === 'work').length,
  };
}

const seeds = Number(process.env['TEKTITE_SEEDS'] ?? 150);

it(`lets only the holder write, whatever fails or is paused (${seeds} seeds)`, { timeout: 120_000 }, async () => {
  let terms = 0;
  let work = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await storm(seed);
    terms += result.terms;
    work += result.work;
  }
  expect(terms).toBeGreaterThan(seeds * 2);
  expect(work).toBeGreaterThan(seeds * 50);
});

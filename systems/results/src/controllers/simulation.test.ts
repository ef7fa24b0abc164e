import { type Client, ignoreNotFound, mergePatch } from '@tektite/client';
import { Manager } from '@tektite/controller';
import { type Clock, type KubeObject, parseJson, type Random, seededRandom, selectEverything } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type Scenario, simulate, type World } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { annotations } from '../archive/annotations.ts';
import { recordNameOf } from '../archive/archived-names.ts';
import type { WatcherConfig } from '../config/watcher-config.ts';
import { CustomRun, isCompleted, PipelineRun, type Run, TaskRun } from '../kinds/runs.ts';
import { EmbeddedStorage } from '../storage/embedded/embedded-storage.ts';
import type { ResultsStorage } from '../storage/storage.ts';
import { installRuns, temporaryFolder } from '../test-support.ts';
import { runController } from './run-controller.ts';

/** `SEEDS=1000 npx vitest run systems/results/src/controllers` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 5);
/** Of a long night, every write; otherwise some. */
const stride = seeds > 100 ? 1 : 7;
const namespace = 'default';
const graceMs = 120_000;

const config: WatcherConfig = {
  gracePeriodMs: graceMs,
  checkOwner: true,
  labelSelector: selectEverything,
  logs: true,
  events: true,
  onlyCompleted: true,
  requeueMs: 10_000,
  storeDeadlineMs: 3_600_000,
  summaryLabels: [],
  managedBy: new Set(),
};

/** Files take turns of the event loop, which a simulation does not allow. */
class MemoryLogs {
  readonly byPath = new Map<string, string>();

  async write(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const text = Buffer.concat(parts);
    this.byPath.set(path, text.toString());
    return text.length;
  }
}

/** A database that fails now and then, before or after it has committed. */
function failing(storage: ResultsStorage, random: Random): ResultsStorage {
  let failures = 0;
  const lost = () => {
    if (failures >= 8 || random.next() >= 0.15) return;
    failures++;
    throw new Error('the database does not answer');
  };
  return new Proxy(storage, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        lost();
        const answer: unknown = await Reflect.apply(method, target, given);
        lost();
        return answer;
      };
    },
  });
}

interface Wanted {
  readonly kind: Kind<Run>;
  readonly name: string;
  readonly owner?: string;
  /** When it ends, and when its user deletes it: before, while it is archived, or never. */
  readonly endsAfterMs: number;
  readonly deletedAfterMs?: number;
}

function wantedRuns(random: Random): readonly Wanted[] {
  const within = (milliseconds: number) => random.next() * milliseconds;
  const runs: Wanted[] = [];
  for (const name of ['a', 'b', 'c']) {
    runs.push({ kind: PipelineRun, name, endsAfterMs: within(40_000) });
    for (const child of ['x', 'y'])
      runs.push({ kind: TaskRun, name: `${name}-${child}`, owner: name, endsAfterMs: within(30_000) });
  }
  for (const name of ['d', 'e']) {
    const endsAfterMs = within(30_000);
    runs.push({ kind: TaskRun, name, endsAfterMs, deletedAfterMs: endsAfterMs + within(2000) });
  }
  runs.push({ kind: TaskRun, name: 'f', endsAfterMs: 30_000, deletedAfterMs: within(20_000) });
  runs.push({ kind: CustomRun, name: 'g', endsAfterMs: within(20_000) });
  return runs;
}

/** One run from its creation to its end, as its controller and its user have it. Gives what is to be archived. */
async function live(
  { client, sleep, clock }: World,
  wanted: Wanted,
  uids: Map<string, string>,
): Promise<Run | undefined> {
  const { kind, name, owner, endsAfterMs, deletedAfterMs = Infinity } = wanted;
  const key = { namespace, name };
  const uid = owner === undefined ? undefined : uids.get(owner);
  const ownerReferences = uid
    ? [{ apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', name: owner, uid, controller: true }]
    : [];
  const made = await client.create(kind, { metadata: { ...key, ownerReferences }, spec: {} } as never);
  uids.set(name, made.metadata.uid ?? '');
  const remove = () => client.delete(kind, key).catch(ignoreNotFound);
  await sleep(Math.min(endsAfterMs, deletedAfterMs));
  if (deletedAfterMs < endsAfterMs) return void (await remove());
  const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const children = kind === PipelineRun ? ['x', 'y'] : [];
  const status = {
    startTime: now,
    completionTime: now,
    conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded', lastTransitionTime: now }],
    childReferences: children.map((child) => ({ kind: 'TaskRun', name: `${name}-${child}`, pipelineTaskName: child })),
  };
  const ended = await client.patchStatus(kind, key, mergePatch({ status }));
  if (deletedAfterMs === Infinity) return ended;
  await sleep(deletedAfterMs - endsAfterMs);
  // One that the watcher never saw is not waited for.
  const { metadata } = await client.get(kind, key);
  await remove();
  return (metadata.finalizers ?? []).length > 0 ? ended : undefined;
}

/** Each run that ended is there once, with all that belongs to it. */
async function checkArchive(storage: ResultsStorage, ended: readonly Run[]): Promise<void> {
  const order = { column: 'id', descending: false } as const;
  const { rows: records } = await storage.listRecords({ order, limit: 1000 });
  const named = (name: string | undefined) => records.filter((record) => record.name === name);
  for (const run of ended) {
    const { parent, result, name } = recordNameOf(run);
    const [own, ...others] = named(name);
    expect(others).toEqual([]);
    const archived = parseJson(Buffer.from(own?.data ?? []).toString()) as unknown as Run;
    expect(isCompleted(archived)).toBe(true);
    const said = archived.metadata.annotations ?? {};
    expect(said[annotations.stored]).toBe('true');
    expect(await storage.getResult(parent, result)).toBeDefined();
    const about = [said[annotations.eventList], ...(run.kind === 'CustomRun' ? [] : [said[annotations.log]])];
    for (const each of about) expect(named(each?.split('/').at(-1))).toHaveLength(1);
  }
  // A run that was deleted before its end is not archived.
  const names = records.map(({ data }) => (parseJson(Buffer.from(data).toString()) as KubeObject).metadata.name);
  expect(names).not.toContain('f');
}

/** The archive of one database and its watcher, which dies and is cheated while runs come and go. */
function scenario(storage: ResultsStorage, follow: (clock: Clock) => void): Scenario & { ended(): readonly Run[] } {
  const logs = new MemoryLogs();
  let archive: ResultsStorage = storage;
  let ended: readonly (Run | undefined)[] = [];
  return {
    ended: () => ended.filter((run) => run !== undefined),
    async prepare({ client, clock, random }) {
      follow(clock);
      archive = failing(storage, random);
      await installRuns(client);
    },
    async start(client: Client) {
      const manager = new Manager(client, { name: 'results', graceMs: 0 });
      for (const kind of [TaskRun, PipelineRun, CustomRun])
        manager.add(runController({ storage: archive, logs, config: () => config }, kind));
      manager.start();
    },
    async act(world) {
      const uids = new Map<string, string>();
      // Children come after the run that owns them.
      const pending: Promise<Run | undefined>[] = [];
      for (const wanted of wantedRuns(world.random)) {
        pending.push(live(world, wanted, uids));
        await world.sleep(world.random.next() * 500);
      }
      ended = await Promise.all(pending);
    },
    async check({ client }) {
      const left: KubeObject[] = [];
      for (const kind of [TaskRun, PipelineRun, CustomRun]) left.push(...(await client.list(kind)).items);
      // Children go with their PipelineRun, which garbage collection sees to; there is none here.
      const names = left.map(({ metadata }) => metadata.name ?? '');
      expect(new Set(names)).toEqual(new Set(['a-x', 'a-y', 'b-x', 'b-y', 'c-x', 'c-y']));
      expect(left.filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
    },
  };
}

/** An archive whose time is that of the simulation, in which nothing can be opened. */
async function run(options: Omit<Parameters<typeof simulate>[1], 'seed'> & { readonly seed: number }) {
  using folder = temporaryFolder();
  let clock: Clock | undefined;
  const current = () => clock as Clock;
  const simulated: Clock = {
    now: () => current().now(),
    monotonic: () => current().monotonic(),
    setTimer: (milliseconds, action) => current().setTimer(milliseconds, action),
  };
  const storage = await EmbeddedStorage.open(folder.path, simulated, seededRandom(options.seed));
  try {
    const archiving = scenario(storage, (begun) => (clock = begun));
    const report = await simulate(archiving, options);
    await checkArchive(storage, archiving.ended());
    return report;
  } finally {
    await storage[Symbol.asyncDispose]();
  }
}

describe('an archive whose watcher is killed and whose database fails', { timeout: 600_000 }, () => {
  it(`has every run that ended once, also when it was deleted at once (${seeds} seeds)`, async () => {
    for (let seed = 1; seed <= seeds; seed++) await run({ seed });
  });

  it(`has them when the watcher dies at any of its writes (each ${stride})`, async () => {
    for (const when of ['before', 'after'] as const) {
      let crashes = 1;
      let write = when === 'before' ? 1 : 3;
      for (; crashes > 0; write += stride)
        crashes = (await run({ seed: 7, crash: { write, when }, rates: {} })).crashes;
      expect(write).toBeGreaterThan(30);
    }
  });
});

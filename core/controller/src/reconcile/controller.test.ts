import { kinds, mergePatch } from '@tektite/client';
import { TerminalError } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane, virtualClock } from '@tektite/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ownership } from '../election/ownership.ts';
import type { Logger } from '../logger.ts';
import { type ControllerDefinition, defineController } from './controller-definition.ts';
import { controllerCases } from './controller.cases.ts';
import { every } from './every.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import { labelsChanged } from './predicate.ts';
import { done, failed, requeueAfter } from './result.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

describe('on the embedded server', () => {
  controllerCases({
    async client() {
      const plane = await startControlPlane();
      open.push(plane);
      return plane.client;
    },
  });
});

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

function listLogger(lines: Line[], always: object = {}): Logger {
  const at =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void lines.push({ level, message, fields: { ...always, ...fields } });
  return {
    debugs: true,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => listLogger(lines, { ...always, ...fields }),
  };
}

async function bench(
  definition: Partial<ControllerDefinition<ConfigMap, ConfigMap>> &
    Pick<ControllerDefinition<ConfigMap, ConfigMap>, 'reconcile'>,
  options: ManagerOptions = {},
) {
  const clock = virtualClock();
  const plane: ControlPlane = await startControlPlane({ clock });
  open.push(plane);
  const lines: Line[] = [];
  const manager = new Manager(plane.client, { log: listLogger(lines), graceMs: 0, ...options });
  const whole = { name: 'parents', kind: kinds.ConfigMap, namespace: 'default', ...definition };
  manager.add(defineController<ConfigMap>(whole));
  manager.start();
  open.push({ close: () => manager.stop() });
  const create = async (...names: string[]) => {
    for (const name of names) await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name } });
    await clock.advance(0);
  };
  await clock.until(manager.synced());
  return { clock, plane, manager, lines, create };
}

describe('results', () => {
  it('done waits for a change, requeueAfter does not', async () => {
    const seen: number[] = [];
    const { clock, create } = await bench({
      reconcile: (_object, context) => {
        seen.push(context.clock.monotonic());
        return seen.length < 3 ? requeueAfter(60_000) : done;
      },
    });
    await create('a');
    await clock.advance(600_000);
    expect(seen.map((at) => at - (seen[0] ?? 0))).toEqual([0, 60_000, 120_000]);
  });

  it('errors are retried with backoff until they stop; then the backoff starts again', async () => {
    const seen: number[] = [];
    let broken = true;
    const { clock, create, manager } = await bench({
      reconcile: (_object, context) => {
        seen.push(context.clock.monotonic());
        expect(context.attempt).toBe(broken ? seen.length - 1 : context.attempt);
        return broken ? failed(new Error('no')) : done;
      },
    });
    await create('a');
    await clock.advance(30_000);
    const waits = seen.slice(1).map((at, i) => at - (seen[i] ?? 0));
    expect(waits.length).toBeGreaterThan(8);
    for (const [i, wait] of waits.entries()) if (i > 0) expect(wait).toBeGreaterThan(waits[i - 1] ?? 0);
    broken = false;
    await clock.advance(60_000);
    const count = seen.length;
    await clock.advance(3_600_000);
    expect(seen).toHaveLength(count);
    expect(manager.health()).toMatchObject({ healthy: true, ready: true });
  });

  it('terminal errors wait for a change', async () => {
    let count = 0;
    const { clock, create, plane, lines } = await bench({
      reconcile: () => {
        count++;
        throw new TerminalError('size is too large for this cluster');
      },
    });
    await create('a');
    await clock.advance(3_600_000);
    expect(count).toBe(1);
    await plane.client.apply(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' }, data: { a: '1' } });
    await clock.advance(1000);
    expect(count).toBe(2);
    expect(lines.filter(({ level }) => level === 'error')[0]).toMatchObject({
      message: 'reconcile failed',
      fields: { outcome: 'terminalError', controller: 'parents', namespace: 'default', name: 'a' },
    });
  });
});

describe('a bad reconciler', () => {
  const isBad = ({ metadata }: ConfigMap) => metadata.name === 'bad';

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    [
      'throws something that is no error',
      () => {
        throw 'boom' as unknown as Error;
      },
      'threw "boom"',
    ],
    ['rejects', () => Promise.reject(new Error('boom')), 'boom'],
    ['returns nonsense', () => 7 as never, 'the reconciler returned 7;'],
    [
      'returns a result that is none',
      () => ({ type: 'requeueAfter', milliseconds: -1 }) as never,
      'requeueAfter with -1',
    ],
  ])('that %s does not keep others from being reconciled, and is logged', async (_title, act, message) => {
    const seen = new Set<string>();
    const { clock, create, lines } = await bench({
      concurrency: 1,
      reconcile: (object) => {
        if (isBad(object)) return act();
        seen.add(object.metadata.name ?? '');
        return done;
      },
    });
    await create('bad', 'b', 'c');
    await clock.advance(60_000);
    expect([...seen]).toEqual(expect.arrayContaining(['b', 'c']));
    const errors = lines.filter(({ level, fields }) => level === 'error' && fields['name'] === 'bad');
    expect(errors.length).toBeGreaterThan(1);
    expect((errors[0]?.fields['error'] as Error | undefined)?.message).toContain(message);
  });

  it('that never returns frees its worker, is aborted, cannot write, and shows in the health', async () => {
    const seen = new Set<string>();
    let signal: AbortSignal | undefined;
    let late: unknown;
    let wake = () => {};
    const { clock, create, manager } = await bench({
      concurrency: 1,
      timeoutMs: 10_000,
      async reconcile(object, context) {
        if (!isBad(object)) return void seen.add(object.metadata.name ?? '');
        signal = context.signal;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        late = await context.client
          .delete(kinds.ConfigMap, { namespace: 'default', name: 'b' })
          .catch((e: unknown) => e);
      },
    });
    await create('bad', 'b');
    await clock.advance(9000);
    expect(seen.has('b')).toBe(false);
    expect(manager.health().healthy).toBe(true);
    await clock.advance(2000);
    expect(seen.has('b')).toBe(true);
    expect(signal?.aborted).toBe(true);
    expect(manager.health()).toMatchObject({ healthy: false });
    expect(manager.health().controllers.get('parents')?.stuck).toEqual(['default/bad']);
    wake();
    await clock.advance(0);
    expect(late).toMatchObject({ code: 'WRITE_FENCED' });
    expect(manager.health().controllers.get('parents')?.stuck).toEqual([]);
  });

  it('that changes its object each time does not starve timers, and can be stopped', async () => {
    await using plane = await startControlPlane();
    let reconciles = 0;
    const manager = new Manager(plane.client, { graceMs: 0 });
    manager.add(
      defineController<ConfigMap>({
        name: 'restless',
        kind: kinds.ConfigMap,
        namespace: 'default',
        reconcile: async ({ metadata }, { client }) => {
          const key = { namespace: 'default', name: metadata.name ?? '' };
          await client.patch(kinds.ConfigMap, key, mergePatch({ data: { reconciles: String(++reconciles) } }));
        },
      }),
    );
    await manager.start().synced();
    await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await manager.stop();
    expect(reconciles).toBeGreaterThan(10);
  });

  it('that never returns does not keep the process from stopping', async () => {
    const { clock, create, manager } = await bench(
      { reconcile: () => new Promise(() => undefined) },
      { graceMs: 5000 },
    );
    await create('a');
    await clock.until(manager.stop(), 6000);
    expect(manager.health().controllers.get('parents')?.state).toBe('stopped');
  });

  it('that conflicts runs again without an error', async () => {
    let count = 0;
    const { clock, create, plane, lines, manager } = await bench({
      async reconcile(object, { client }) {
        if (count++ > 0) return;
        await plane.client.apply(kinds.ConfigMap, {
          metadata: { namespace: 'default', name: 'a' },
          data: { by: 'other' },
        });
        await client.update(kinds.ConfigMap, { ...object, data: { by: 'us' } });
      },
    });
    await create('a');
    await clock.advance(5000);
    expect(count).toBeGreaterThan(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(manager.explain('ConfigMap', 'default/a').map(({ outcome }) => outcome)).toContain('conflict');
  });
});

describe('an object that is deleted while it is worked on', () => {
  it('is no failure', async () => {
    const { clock, create, plane, lines } = await bench({
      async reconcile(object, { client }) {
        await plane.client.delete(kinds.ConfigMap, { namespace: 'default', name: 'a' });
        await client.update(kinds.ConfigMap, { ...object, data: { by: 'us' } });
      },
    });
    await create('a');
    await clock.advance(5000);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('sources and predicates', () => {
  it('a predicate filters changes', async () => {
    let count = 0;
    const { clock, create, plane } = await bench({ predicate: labelsChanged(), reconcile: () => void count++ });
    const write = async (object: { labels?: Record<string, string>; data?: Record<string, string> }) => {
      const metadata = { namespace: 'default', name: 'a', ...(object.labels ? { labels: object.labels } : {}) };
      await plane.client.apply(kinds.ConfigMap, { metadata, ...(object.data ? { data: object.data } : {}) });
      await clock.advance(1000);
      return count;
    };
    await create('a');
    expect(await write({})).toBe(1);
    expect(await write({ data: { a: '1' } })).toBe(1);
    expect(await write({ data: { a: '1' }, labels: { a: '1' } })).toBe(2);
  });

  it('a predicate that throws loses nothing', async () => {
    let count = 0;
    const { clock, create, lines } = await bench({
      predicate: () => {
        throw new Error('oops');
      },
      reconcile: () => void count++,
    });
    await create('a');
    await clock.advance(1000);
    expect(count).toBe(1);
    expect(lines.find(({ level }) => level === 'error')?.fields['error']).toMatchObject({ code: 'PREDICATE_FAILED' });
  });

  it('a timer enqueues all objects periodically', async () => {
    let count = 0;
    const { clock, create } = await bench({ sources: [every(60_000)], reconcile: () => void count++ });
    await create('a', 'b');
    await clock.advance(1000);
    expect(count).toBe(2);
    await clock.advance(60_000);
    expect(count).toBe(4);
  });

  it('a source that was not declared cannot be read, and the error says so', async () => {
    const { cached } = await import('./watch-source.ts');
    const { clock, create, lines } = await bench({
      reconcile: (_object, { cache }) => void cache(cached(kinds.Secret)).size,
    });
    await create('a');
    await clock.advance(100);
    expect(lines.find(({ level }) => level === 'error')?.fields['error']).toMatchObject({ code: 'SOURCE_UNKNOWN' });
  });
});

describe('ownership', () => {
  it('only owned keys are reconciled; acquired ones at once; lost ones are left alone', async () => {
    const seen: string[] = [];
    const listeners = new Set<(owns: (key: string) => boolean) => void>();
    let mine = new Set(['default/a']);
    let lost = new AbortController();
    const ownership: Ownership = {
      owns: (key) => mine.has(key),
      signalFor: () => lost.signal,
      onGained: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    };
    let refused: unknown;
    let inB: AbortSignal | undefined;
    const { clock, create, manager } = await bench(
      {
        async reconcile({ metadata: { name = '' } }, { client, signal }) {
          seen.push(name);
          if (name !== 'b') return;
          inB = signal;
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          refused = await client.delete(kinds.ConfigMap, { namespace: 'default', name }).catch((e: unknown) => e);
        },
      },
      { ownership },
    );
    await create('a', 'b');
    expect(seen).toEqual(['a']);
    mine = new Set(['default/b']);
    for (const listener of listeners) listener((key) => key === 'default/b');
    await clock.advance(0);
    expect(seen).toEqual(['a', 'b']);
    expect(manager.explain('ConfigMap', 'default/b')).toEqual([]);
    mine = new Set();
    lost.abort(new Error('the lease was lost'));
    lost = new AbortController();
    await clock.advance(60_000);
    expect(inB?.aborted).toBe(true);
    expect(refused).toMatchObject({ code: 'WRITE_FENCED' });
    expect(seen).toEqual(['a', 'b']);
    expect(manager.explain('ConfigMap', 'default/b')[0]).toMatchObject({
      outcome: 'aborted',
      causes: [{ change: 'taken over', count: 1 }],
    });
    await manager.stop();
    expect(listeners.size).toBe(0);
  });
});

describe('a manager', () => {
  it('leaves nothing behind when it stops', async () => {
    const clock = virtualClock();
    const plane = await startControlPlane({ clock });
    const idle = clock.pendingTimers;
    const manager = new Manager(plane.client, { graceMs: 0 });
    manager.add(
      defineController({
        name: 'a',
        kind: kinds.ConfigMap,
        sources: [every(1000)],
        reconcile: (_object, { event }) => {
          event({ reason: 'Seen', message: 'hello' });
          return requeueAfter(1000);
        },
      }),
    );
    await clock.until(manager.start().synced());
    await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await clock.advance(10_000);
    await clock.until(manager.stop());
    expect(clock.pendingTimers).toBe(idle);
    await plane.close();
  });

  it('takes controllers in and out while it runs', async () => {
    const { clock, create, manager } = await bench({ reconcile: () => done });
    let count = 0;
    const definition = defineController<ConfigMap>({
      name: 'second',
      kind: kinds.ConfigMap,
      namespace: 'default',
      reconcile: () => void count++,
    });
    await create('a');
    manager.add(definition);
    await clock.advance(1000);
    expect(count).toBe(1);
    expect(() => manager.add(definition)).toThrow('there is a controller "second" already');
    await manager.remove('second');
    await create('b');
    await clock.advance(1000);
    expect(count).toBe(1);
  });
});

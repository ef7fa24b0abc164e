import { type Client, isClientError, resilientWatch } from '@tektite/client';
import { type DynamicObject, sleep } from '@tektite/meta';
import { inParallel } from '../in-parallel.ts';
import { groupKindOf, identityText, type ObjectReference, referenceTo } from '../object-identity.ts';
import { readLive } from '../read-live.ts';
import { objectStatus, type ReadinessOptions } from './object-status.ts';
import type { Readiness } from './readiness.ts';

export interface WaitOptions extends Omit<ReadinessOptions, 'now'> {
  /** Default five minutes. */
  readonly timeoutMs?: number;
  /** The awaited state. Default that objects are `Current`; `gone`: that they are deleted. */
  readonly until?: 'current' | 'gone';
  /** End as soon as one has failed. */
  readonly failFast?: boolean;
  /** Objects as the caller has just read them: those that are ready are not read again. */
  readonly known?: readonly DynamicObject[];
  readonly onChange?: (state: WaitState) => void;
  readonly signal?: AbortSignal;
}

/** How an object is doing. */
export interface WaitState extends Readiness {
  readonly reference: ObjectReference;
  /** Of an object that is being deleted. */
  readonly finalizers?: readonly string[];
}

export interface WaitReport {
  /** Whether all became what was waited for. */
  readonly done: boolean;
  readonly timedOut: boolean;
  readonly objects: readonly WaitState[];
}

const notFound: Readiness = { status: 'NotFound', reason: 'NotFound', message: 'there is no such object' };

/**
 * Waits until objects are ready, or deleted. They are watched, by kind and namespace, so that readiness is seen at once
 * and without polling. The report contains the final state of each object; the caller judges it.
 *
 * @example const report = await waitForObjects(client, manifest.objects.map(referenceTo), { timeoutMs: 60_000,
 * failFast: true });
 */
export async function waitForObjects(
  client: Client,
  references: readonly ObjectReference[],
  options: WaitOptions = {},
): Promise<WaitReport> {
  const wait = new Wait(client, references, options);
  return wait.run();
}

class Wait {
  private readonly client: Client;
  private readonly options: WaitOptions;
  private readonly states = new Map<string, WaitState>();
  private readonly open = new Set<string>();
  private readonly latest = new Map<string, DynamicObject>();
  private readonly ended = new AbortController();
  private timedOut = false;

  constructor(client: Client, references: readonly ObjectReference[], options: WaitOptions) {
    this.client = client;
    this.options = options;
    for (const reference of references) {
      this.states.set(identityText(reference), { reference, ...notFound, status: 'Unknown', reason: '', message: '' });
      this.open.add(identityText(reference));
    }
    for (const object of options.known ?? []) this.saw(object);
  }

  async run(): Promise<WaitReport> {
    const { timeoutMs = 300_000, signal } = this.options;
    const unsettled = () => [...this.open].map((key) => (this.states.get(key) as WaitState).reference);
    await inParallel(unsettled(), 8, (reference) => this.read(reference));
    if (this.open.size === 0 || this.ended.signal.aborted) return this.report();
    const stop = () => this.ended.abort();
    using _timer = this.client.clock.setTimer(timeoutMs, () => {
      this.timedOut = true;
      stop();
    });
    signal?.addEventListener('abort', stop, { once: true });
    const ticking = this.tick();
    try {
      await Promise.all([...this.groups(unsettled())].map(([, group]) => this.watch(group)));
    } finally {
      stop();
      await ticking;
      signal?.removeEventListener('abort', stop);
    }
    signal?.throwIfAborted();
    return this.report();
  }

  private report(): WaitReport {
    return { done: this.open.size === 0, timedOut: this.timedOut, objects: [...this.states.values()] };
  }

  private async read(reference: ObjectReference): Promise<void> {
    const { signal } = this.options;
    const live = await readLive(this.client, reference, reference, signal);
    if (live) this.saw(live);
    else this.missed(identityText(reference));
  }

  private groups(references: readonly ObjectReference[]): Map<string, ObjectReference[]> {
    const groups = new Map<string, ObjectReference[]>();
    for (const reference of references) {
      const key = `${groupKindOf(reference)}/${reference.namespace ?? ''}`;
      const group = groups.get(key);
      if (group) group.push(reference);
      else groups.set(key, [reference]);
    }
    return groups;
  }

  /** Watches until everything of the group is settled. */
  private async watch(group: readonly ObjectReference[]): Promise<void> {
    const [first] = group as [ObjectReference];
    const isOpen = () => !this.ended.signal.aborted && group.some((each) => this.open.has(identityText(each)));
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, this.ended.signal]);
    const selection = {
      ...(first.namespace ? { namespace: first.namespace } : {}),
      ...(group.length === 1 ? { fieldSelector: `metadata.name=${first.name}` } : {}),
      signal,
    };
    try {
      for await (const event of resilientWatch(this.client, first, selection)) {
        if (event.type === 'added' || event.type === 'modified') this.saw(event.object);
        else if (event.type === 'deleted') this.missed(identityText(event.object));
        else if (event.type === 'vanished') this.missed(identityText({ ...first, name: event.object.name }));
        else if (event.type === 'error' && isClientError(event.error, 'UNKNOWN_KIND') && this.options.until === 'gone')
          for (const each of group) this.missed(identityText(each));
        if (!isOpen()) return;
      }
    } catch (error) {
      if (!this.ended.signal.aborted) throw error;
    } finally {
      own.abort();
    }
  }

  /** Some rules depend on the time. */
  private async tick(): Promise<void> {
    try {
      for (;;) {
        await sleep(this.client.clock, 5000, this.ended.signal);
        for (const key of this.open) {
          const object = this.latest.get(key);
          if (object) this.saw(object);
        }
      }
    } catch {
      // The wait has ended.
    }
  }

  private saw(object: DynamicObject): void {
    const key = identityText(object);
    if (!this.states.has(key)) return;
    this.latest.set(key, object);
    const readiness = objectStatus(object, { ...this.options, now: this.client.clock.now() });
    const { finalizers = [] } = object.metadata;
    const held = readiness.status === 'Terminating' && finalizers.length > 0 ? { finalizers } : {};
    this.settle(key, { reference: referenceTo(object), ...readiness, ...held });
  }

  private missed(key: string): void {
    const state = this.states.get(key);
    if (state) this.settle(key, { reference: state.reference, ...notFound });
  }

  private settle(key: string, state: WaitState): void {
    const before = this.states.get(key);
    this.states.set(key, state);
    const done = this.options.until === 'gone' ? state.status === 'NotFound' : state.status === 'Current';
    if (done) this.open.delete(key);
    else this.open.add(key);
    if (before?.status !== state.status || before.message !== state.message) this.options.onChange?.(state);
    const hopeless = state.status === 'Failed' && this.options.failFast && this.options.until !== 'gone';
    if (hopeless || this.open.size === 0) this.ended.abort();
  }
}

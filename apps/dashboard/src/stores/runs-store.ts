import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Clock } from '@tektite/meta';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection, type LiveState } from '../api/live-collection.ts';
import { collectionPath, resources } from '../api/resource.ts';
import type { ToolApi } from '../api/tool-answers.ts';
import type { RunState } from '../run/index.ts';
import { hasState, parseRunFilter, shownStates } from './run-filter.ts';
import { type RunSummary, runSummary, tookMs } from './run-summary.ts';
import { ToolStore } from './tool-store.ts';

export type RunSort = 'newest' | 'oldest' | 'name' | 'longest';
export type RunScope = 'runs' | 'all';

/** The choices of the Runs page; all of them are in its address. */
export interface RunsView {
  /** Of all namespaces, if it is empty; several are separated by commas. */
  readonly namespace: string;
  readonly text: string;
  readonly state?: RunState;
  readonly sort: RunSort;
  /** `all` has the TaskRuns of PipelineRuns, too. */
  readonly scope: RunScope;
  /** Those of the archive of Tekton Results, also if they were deleted. */
  readonly isArchived?: boolean;
}

export interface RunsStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
  /** Reads the archive. */
  readonly tools?: ToolApi;
}

const orders: Readonly<Record<RunSort, (now: number) => (a: RunSummary, b: RunSummary) => number>> = {
  newest: () => (a, b) => b.createdAt - a.createdAt || compare(a.name, b.name),
  oldest: () => (a, b) => a.createdAt - b.createdAt || compare(a.name, b.name),
  name: () => (a, b) => compare(a.name, b.name) || compare(a.namespace, b.namespace),
  longest: (now) => (a, b) => (tookMs(b, now) ?? -1) - (tookMs(a, now) ?? -1) || b.createdAt - a.createdAt,
};

/** PipelineRuns and TaskRuns: live, filtered, sorted, and those that are selected. */
export class RunsStore {
  readonly view = signal<RunsView>({ namespace: '', text: '', sort: 'newest', scope: 'runs' });
  readonly selected = signal<ReadonlySet<string>>(new Set());
  private readonly options: RunsStoreOptions;
  private readonly archive = signal<ToolStore<'archived-runs'> | undefined>(undefined);
  private readonly collections = signal<readonly LiveCollection<RunSummary>[]>([]);

  constructor(options: RunsStoreOptions) {
    this.options = options;
  }

  /** All runs of the namespace, whatever the filter. */
  readonly all: ReadonlySignal<readonly RunSummary[]> = computed(() => {
    const archive = this.archive.value;
    if (archive) return archive.answer.value?.runs.map(runSummary) ?? [];
    return this.collections.value.flatMap((collection) => {
      void collection.version.value;
      return [...collection.items.values()];
    });
  });

  /** The archive has more runs than are shown. */
  readonly hasMore: ReadonlySignal<boolean> = computed(() => this.archive.value?.answer.value?.hasMore ?? false);

  /** Runs that the text allows, by state; for the counts above the list. */
  private readonly matching = computed(() => {
    const matches = parseRunFilter(this.view.value.text);
    const now = this.options.clock.now();
    return this.all.value.filter((run) => matches(run, now));
  });

  readonly counts: ReadonlySignal<ReadonlyMap<RunState, number>> = computed(() => {
    const counts = new Map(shownStates.map((state) => [state, 0]));
    for (const run of this.matching.value) {
      const state = shownStates.find((each) => hasState(run, each));
      if (state) counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    return counts;
  });

  readonly shown: ReadonlySignal<readonly RunSummary[]> = computed(() => {
    const { state, sort } = this.view.value;
    const runs = state ? this.matching.value.filter((run) => hasState(run, state)) : [...this.matching.value];
    return runs.sort(orders[sort](this.options.clock.now()));
  });

  readonly total: ReadonlySignal<number> = computed(() => this.matching.value.length);

  /** The longest duration that is not an exception (of the 95th percentile), for the bars. */
  readonly usualMs: ReadonlySignal<number> = computed(() => {
    const completed = this.all.value.filter(({ completedAt }) => completedAt !== undefined);
    // Numbers of one type are sorted several times faster than others, and this is done with every change.
    const times = Float64Array.from(completed, (run) => tookMs(run, 0) ?? 0).sort();
    return Math.max(1000, times[Math.floor(times.length * 0.95)] ?? 0);
  });

  readonly state: ReadonlySignal<LiveState> = computed(() => {
    const archive = this.archive.value;
    if (archive) return archive.error.value ? 'failed' : archive.answer.value ? 'live' : 'loading';
    const states = this.collections.value.map(({ state }) => state.value);
    return (['failed', 'reconnecting', 'loading'] as const).find((state) => states.includes(state)) ?? 'live';
  });

  readonly error: ReadonlySignal<string | undefined> = computed(
    () =>
      this.archive.value?.error.value ?? this.collections.value.find(({ error }) => error.value)?.error.value?.message,
  );

  readonly selectedRuns: ReadonlySignal<readonly RunSummary[]> = computed(() =>
    this.all.value.filter(({ uid }) => this.selected.value.has(uid)),
  );

  /** Changes the view. Another namespace or scope opens other watches. */
  show(view: RunsView): void {
    const before = this.view.value;
    this.view.value = view;
    if (view.isArchived) return this.showArchived(before, view);
    if (this.collections.value.length > 0 && before.namespace === view.namespace && before.scope === view.scope) return;
    this.stop();
    this.selected.value = new Set();
    const { namespace, scope } = view;
    const open = (path: string, labelSelector?: string) =>
      new LiveCollection<RunSummary>({
        ...this.options,
        path,
        ...(labelSelector ? { labelSelector } : {}),
        summarize: runSummary,
      }).start();
    this.collections.value = namespace
      .split(',')
      .flatMap((each) => [
        open(collectionPath(resources.pipelineRuns, each)),
        open(collectionPath(resources.taskRuns, each), scope === 'all' ? undefined : '!tekton.dev/pipelineRun'),
      ]);
  }

  private showArchived(before: RunsView, { namespace, text }: RunsView): void {
    const { tools, clock } = this.options;
    const isSame = before.namespace === namespace && before.text === text;
    if (!tools || (this.archive.value && isSame)) return;
    if (!this.archive.value) {
      this.stop();
      this.archive.value = new ToolStore('archived-runs', { api: tools, clock });
    }
    this.archive.value.load({ namespaces: namespace, filter: text });
  }

  toggle(uid: string): void {
    const next = new Set(this.selected.value);
    if (!next.delete(uid)) next.add(uid);
    this.selected.value = next;
  }

  /** Selects all that are shown, or none when all of them are selected. */
  toggleAll(): void {
    const shown = this.shown.value;
    const isAll = shown.length > 0 && shown.every(({ uid }) => this.selected.value.has(uid));
    this.selected.value = new Set(isAll ? [] : shown.map(({ uid }) => uid));
  }

  stop(): void {
    for (const collection of this.collections.value) collection.stop();
    this.collections.value = [];
    this.archive.value?.stop();
    this.archive.value = undefined;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

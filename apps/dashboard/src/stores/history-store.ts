import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection } from '../api/live-collection.ts';
import { collectionPath } from '../api/resource.ts';
import type { ObjectName, ToolApi } from '../api/tool-answers.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';

/** One apply of a set. */
export interface SetRevision {
  readonly revision: number;
  readonly appliedAt: string;
  readonly objects: number;
  readonly summary: string;
}

/** Objects that were applied together, with the revisions that are kept; newest first. */
export interface AppliedSet {
  readonly namespace: string;
  readonly name: string;
  readonly revisions: readonly SetRevision[];
}

export interface PlannedDiff {
  readonly object: ObjectName;
  readonly action: string;
  readonly reason: string;
  readonly diff: readonly DiffLine[];
}

/** A rollback on its way: planned, shown, applied. */
export type RollbackState =
  | { readonly phase: 'none' }
  | { readonly phase: 'planning' | 'applying'; readonly set: AppliedSet; readonly revision: number }
  | {
      readonly phase: 'planned';
      readonly set: AppliedSet;
      readonly revision: number;
      readonly objects: readonly PlannedDiff[];
    }
  | { readonly phase: 'failed'; readonly set: AppliedSet; readonly revision: number; readonly error: string };

export interface HistoryStoreOptions {
  readonly api: KubeApi & ToolApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
}

interface Head extends SetRevision {
  readonly namespace: string;
  readonly name: string;
}

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const headAnnotation = 'tektite.dev/revision-head';

/** The sets that `tektite apply` keeps a history of, live, and their rollback: planned by a dry run, then applied. */
export class HistoryStore {
  readonly rollback = signal<RollbackState>({ phase: 'none' });
  private readonly api: ToolApi;
  private readonly collection: LiveCollection<Head | undefined>;

  constructor({ api, clock, schedule }: HistoryStoreOptions) {
    this.api = api;
    this.collection = new LiveCollection<Head | undefined>({
      api,
      clock,
      schedule,
      path: collectionPath(configMaps),
      labelSelector: 'tektite.dev/history-of',
      summarize: readHead,
    }).start();
  }

  readonly sets: ReadonlySignal<readonly AppliedSet[]> = computed(() => {
    void this.collection.version.value;
    const sets = new Map<string, Head[]>();
    for (const head of this.collection.items.values()) {
      if (!head) continue;
      const key = `${head.namespace}/${head.name}`;
      sets.set(key, [...(sets.get(key) ?? []), head]);
    }
    return [...sets.values()].flatMap((heads) => {
      const revisions = heads.sort((a, b) => b.revision - a.revision);
      return revisions[0] ? [{ namespace: revisions[0].namespace, name: revisions[0].name, revisions }] : [];
    });
  });

  readonly error: ReadonlySignal<string | undefined> = computed(() => this.collection.error.value?.message);

  /** Asks for the effect of a rollback. Nothing is written. */
  async plan(set: AppliedSet, revision: number): Promise<void> {
    this.rollback.value = { phase: 'planning', set, revision };
    try {
      const { objects } = await this.api.call('plan-rollback', inputOf(set, revision));
      const shown = objects.map(({ before, after, ...rest }) => ({ ...rest, diff: lineDiff(before, after) }));
      this.rollback.value = { phase: 'planned', set, revision, objects: shown };
    } catch (error) {
      this.rollback.value = { phase: 'failed', set, revision, error: (error as Error).message };
    }
  }

  /** Applies the revision; the summary of its changes, or nothing when it failed. */
  async apply(set: AppliedSet, revision: number): Promise<string | undefined> {
    this.rollback.value = { phase: 'applying', set, revision };
    try {
      const { summary, failures } = await this.api.call('rollback', inputOf(set, revision));
      if (failures.length > 0) throw new Error(failures.join('; '));
      this.rollback.value = { phase: 'none' };
      return summary;
    } catch (error) {
      this.rollback.value = { phase: 'failed', set, revision, error: (error as Error).message };
      return undefined;
    }
  }

  close(): void {
    this.rollback.value = { phase: 'none' };
  }

  stop(): void {
    this.collection.stop();
  }
}

function inputOf({ namespace, name }: AppliedSet, revision: number) {
  return { namespace, name, revision: String(revision) };
}

/** The head of a revision; the further parts of a large one have none. */
function readHead({ metadata }: KubeObject): Head | undefined {
  const { name = '', namespace = '', annotations } = metadata;
  try {
    const { revision, appliedAt, objects, summary } = JSON.parse(annotations?.[headAnnotation] ?? '') as SetRevision;
    const set = name.slice(0, name.lastIndexOf(`.v${revision}`));
    return { namespace, name: set, revision, appliedAt, objects, summary };
  } catch {
    return undefined;
  }
}

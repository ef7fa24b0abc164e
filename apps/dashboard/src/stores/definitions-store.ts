import { computed, type ReadonlySignal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection } from '../api/live-collection.ts';
import { collectionPath, resources } from '../api/resource.ts';
import { type RunSummary, runSummary } from './run-summary.ts';

/** A Pipeline or Task, with its last runs. */
export interface Definition {
  readonly object: KubeObject;
  readonly description: string;
  /** Newest first, at most ten. */
  readonly runs: readonly RunSummary[];
}

export interface DefinitionsStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
}

const maxRuns = 10;

/** Pipelines and Tasks and how they went lately: live. */
export class DefinitionsStore {
  private readonly objects: readonly LiveCollection<KubeObject>[];
  private readonly runs: readonly LiveCollection<RunSummary>[];

  constructor(namespace: string, options: DefinitionsStoreOptions) {
    const open = <T>(path: string, summarize: (object: KubeObject) => T) =>
      new LiveCollection<T>({ ...options, path, summarize }).start();
    this.objects = [resources.pipelines, resources.tasks].map((each) =>
      open(collectionPath(each, namespace), (object) => object),
    );
    this.runs = [resources.pipelineRuns, resources.taskRuns].map((each) =>
      open(collectionPath(each, namespace), runSummary),
    );
  }

  readonly isLoading: ReadonlySignal<boolean> = computed(() =>
    this.objects.some(({ state }) => state.value === 'loading'),
  );

  readonly error: ReadonlySignal<string | undefined> = computed(
    () => this.objects.find(({ error }) => error.value)?.error.value?.message,
  );

  readonly definitions: ReadonlySignal<readonly Definition[]> = computed(() => {
    const runs = new Map<string, RunSummary[]>();
    for (const collection of this.runs) {
      void collection.version.value;
      for (const run of collection.items.values()) {
        if (run.reference === '') continue;
        const key = `${run.kind.replace('Run', '')}/${run.namespace}/${run.reference}`;
        runs.set(key, [...(runs.get(key) ?? []), run]);
      }
    }
    return this.objects.flatMap((collection) => {
      void collection.version.value;
      return [...collection.items.values()].map((object) => {
        const { namespace, name } = object.metadata;
        const own = runs.get(`${object.kind}/${namespace}/${name}`) ?? [];
        const { description = '' } = (object as { spec?: { description?: string } }).spec ?? {};
        return { object, description, runs: own.sort((a, b) => b.createdAt - a.createdAt).slice(0, maxRuns) };
      });
    });
  });

  stop(): void {
    for (const collection of [...this.objects, ...this.runs]) collection.stop();
  }
}

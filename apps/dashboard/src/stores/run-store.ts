import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import { buildGraph, type PipelineRun, type PipelineSpec, type TaskRun } from '@tektite/pipelines/runs';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection } from '../api/live-collection.ts';
import { collectionPath, resources } from '../api/resource.ts';
import type { ToolApi } from '../api/tool-answers.ts';
import {
  criticalPath,
  type PathStep,
  pipelineRunNode,
  recordedTimes,
  type RunNode,
  taskRunNode,
} from '../run/index.ts';
import type { LogStep } from './log-store.ts';
import { logSteps } from './log-steps.ts';
import { type RunName, runResource } from './run-actions.ts';
import { ToolStore } from './tool-store.ts';

export interface RunStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
  /** Finds deleted runs in the archive. */
  readonly tools?: ToolApi;
  /** Of one of several runs with this name. */
  readonly uid?: string;
}

/** A task of the graph: which tasks it waits for, its node in the tree, and why it was skipped. */
export interface ShownTask {
  readonly name: string;
  readonly parents: readonly string[];
  readonly isFinal: boolean;
  readonly node: RunNode | undefined;
}

const parentLabel = 'tekton.dev/pipelineRun';
/** Each has three watches. */
const maxNested = 12;

/** One run, with its parts: live, or as it was archived. */
export class RunStore {
  readonly name: RunName;
  private readonly own: LiveCollection<KubeObject>;
  private readonly parts = signal<readonly LiveCollection<KubeObject>[]>([]);
  private readonly opened = new Set<string>();
  private readonly archive: ToolStore<'archived-run'> | undefined;
  private readonly uid: string | undefined;
  private readonly unsubscribe: (() => void)[];

  constructor(name: RunName, options: RunStoreOptions) {
    this.name = name;
    this.uid = options.uid;
    this.archive = options.tools && new ToolStore('archived-run', { api: options.tools, clock: options.clock });
    const { kind, namespace } = name;
    const open = (path: string, selectors: { labelSelector?: string; fieldSelector?: string }) =>
      new LiveCollection<KubeObject>({ ...options, path, ...selectors, summarize: withoutManagedFields }).start();
    this.own = open(collectionPath(runResource(kind), namespace), { fieldSelector: `metadata.name=${name.name}` });
    const openParts = (run: string) => {
      if (this.opened.has(run) || this.opened.size >= maxNested) return;
      this.opened.add(run);
      const labelSelector = `${parentLabel}=${run}`;
      const found = [resources.taskRuns, resources.customRuns, resources.pipelineRuns].map((resource) =>
        open(collectionPath(resource, namespace), { labelSelector }),
      );
      this.parts.value = [...this.parts.peek(), ...found];
    };
    if (kind === 'PipelineRun') openParts(name.name);
    // Runs of Pipelines within it have parts of their own.
    this.unsubscribe = [
      effect(() => {
        for (const { kind: each, metadata } of this.liveChildren.value.values())
          if (each === 'PipelineRun') openParts(metadata.name ?? '');
      }),
      effect(() => {
        if (this.isDeleted.value) this.archive?.load({ ...name, ...(options.uid ? { uid: options.uid } : {}) });
      }),
    ];
  }

  private readonly live = computed(() => {
    void this.own.version.value;
    const [run] = this.own.items.values();
    return this.uid === undefined || run?.metadata.uid === this.uid ? run : undefined;
  });

  /** It was deleted, or never there. */
  private readonly isDeleted = computed(() => this.own.state.value === 'live' && !this.live.value);

  /** Deleted, and shown as it was archived. */
  readonly isArchived: ReadonlySignal<boolean> = computed(
    () => this.isDeleted.value && this.archive?.answer.value?.run !== undefined,
  );

  readonly run: ReadonlySignal<KubeObject | undefined> = computed(() =>
    this.isDeleted.value ? this.archive?.answer.value?.run : this.live.value,
  );

  /** `missing`: there is no such run, also not in the archive. */
  readonly state: ReadonlySignal<'loading' | 'live' | 'reconnecting' | 'failed' | 'missing' | 'archived'> = computed(
    () => {
      if (!this.isDeleted.value) return this.own.state.value;
      if (this.isArchived.value) return 'archived';
      const isAsked = this.archive?.answer.value ?? this.archive?.error.value;
      return this.archive && isAsked === undefined ? 'loading' : 'missing';
    },
  );

  readonly error: ReadonlySignal<string | undefined> = computed(
    () => [this.own, ...this.parts.value].find(({ error }) => error.value)?.error.value?.message,
  );

  /** Why the archive could not be asked. */
  readonly archiveError: ReadonlySignal<string | undefined> = computed(() => this.archive?.error.value);

  private readonly children = computed<ReadonlyMap<string, KubeObject>>(() => {
    if (!this.isDeleted.value) return this.liveChildren.value;
    const { parts = [] } = this.archive?.answer.value ?? {};
    return new Map(parts.map((part) => [`${part.kind}/${part.metadata.name}`, part]));
  });

  private readonly liveChildren = computed(() => {
    const found = new Map<string, KubeObject>();
    for (const part of this.parts.value) {
      void part.version.value;
      for (const object of part.items.values()) found.set(`${object.kind}/${object.metadata.name}`, object);
    }
    return found;
  });

  readonly tree: ReadonlySignal<RunNode | undefined> = computed(() => {
    const run = this.run.value;
    if (!run) return undefined;
    if (run.kind === 'TaskRun') return taskRunNode(run as unknown as TaskRun);
    const children = this.children.value;
    return pipelineRunNode(run as unknown as PipelineRun, (kind, name) => children.get(`${kind}/${name}`));
  });

  readonly tasks: ReadonlySignal<readonly ShownTask[]> = computed(() => {
    const spec = pipelineSpecOf(this.run.value);
    const tree = this.tree.value;
    if (!spec || !tree) return [];
    return shownTasks(spec, tree);
  });

  /** The tasks that decided how long the run took. */
  readonly path: ReadonlySignal<readonly PathStep[]> = computed(() => {
    const tree = this.tree.value;
    return tree && tree.children.length > 1 ? criticalPath(tree, recordedTimes, this.parents.value) : [];
  });

  /** The tasks that each task comes after, by the names of the tree; final tasks come after all others. */
  readonly parents: ReadonlySignal<ReadonlyMap<string, readonly string[]>> = computed(() => {
    const main = this.tasks.value.filter(({ isFinal }) => !isFinal).map(({ name }) => name);
    return new Map(
      this.tasks.value.map(({ name, parents, isFinal }) => (isFinal ? [`${name} (finally)`, main] : [name, parents])),
    );
  });

  /** The object behind a node of the tree. */
  objectOf(node: RunNode | undefined): KubeObject | undefined {
    if (!node || node.id === this.tree.value?.id) return this.run.value;
    const [kind, name] = node.id.split('/');
    return this.children.value.get(`${kind}/${name}`);
  }

  /** The steps of a TaskRun whose containers have started; those of earlier attempts first. */
  stepsOf(node: RunNode | undefined): readonly LogStep[] {
    const run = this.objectOf(node) as unknown as TaskRun | undefined;
    return run?.kind === 'TaskRun' && node ? logSteps(run, node, this.isArchived.value) : [];
  }

  stop(): void {
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    this.archive?.stop();
    for (const collection of [this.own, ...this.parts.peek()]) collection.stop();
  }
}

/** The Pipeline of a run, as it was resolved or as it has it in itself. */
export function pipelineSpecOf(run: KubeObject | undefined): PipelineSpec | undefined {
  const { status, spec } = (run ?? {}) as Partial<PipelineRun>;
  return status?.pipelineSpec ?? spec?.pipelineSpec;
}

/** The tasks of a Pipeline with what they wait for, and of a run with their nodes. */
export function shownTasks({ tasks = [], finally: final = [] }: PipelineSpec, tree?: RunNode): readonly ShownTask[] {
  const nodes = new Map((tree?.children ?? []).map((node) => [node.name, node]));
  const parents = parentsOf(tasks);
  return [
    ...tasks.map(({ name }) => ({ name, parents: parents.get(name) ?? [], isFinal: false, node: nodes.get(name) })),
    ...final.map(({ name }) => ({ name, parents: [], isFinal: true, node: nodes.get(`${name} (finally)`) })),
  ];
}

/** Nothing for tasks that are no graph: the run fails, and its condition has the reason. */
function parentsOf(tasks: PipelineSpec['tasks'] = []): ReadonlyMap<string, readonly string[]> {
  try {
    return buildGraph(tasks).parents;
  } catch {
    return new Map();
  }
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

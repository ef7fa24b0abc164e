import { computed, type ReadonlySignal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import { buildGraph, type PipelineRun, type PipelineSpec, type TaskRun } from '@tektite/pipelines/runs';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection } from '../api/live-collection.ts';
import { collectionPath, resources } from '../api/resource.ts';
import { criticalPath, pipelineRunNode, recordedTimes, type RunNode, taskRunNode } from '../run/index.ts';
import type { LogStep } from './log-store.ts';
import { type RunName, runResource } from './run-actions.ts';

export interface RunStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
}

/** A task of the graph: which tasks it waits for, its node in the tree, and why it was skipped. */
export interface ShownTask {
  readonly name: string;
  readonly parents: readonly string[];
  readonly isFinal: boolean;
  readonly node: RunNode | undefined;
}

const parentLabel = 'tekton.dev/pipelineRun';

/** One run, with its parts: live. */
export class RunStore {
  readonly name: RunName;
  private readonly own: LiveCollection<KubeObject>;
  private readonly parts: readonly LiveCollection<KubeObject>[];

  constructor(name: RunName, options: RunStoreOptions) {
    this.name = name;
    const { kind, namespace } = name;
    const open = (path: string, selectors: { labelSelector?: string; fieldSelector?: string }) =>
      new LiveCollection<KubeObject>({ ...options, path, ...selectors, summarize: withoutManagedFields }).start();
    this.own = open(collectionPath(runResource(kind), namespace), { fieldSelector: `metadata.name=${name.name}` });
    this.parts =
      kind === 'PipelineRun'
        ? [resources.taskRuns, resources.customRuns, resources.pipelineRuns].map((resource) =>
            open(collectionPath(resource, namespace), { labelSelector: `${parentLabel}=${name.name}` }),
          )
        : [];
  }

  readonly run: ReadonlySignal<KubeObject | undefined> = computed(() => {
    void this.own.version.value;
    return [...this.own.items.values()][0];
  });

  /** `missing`: there is no such run, or it was deleted. */
  readonly state: ReadonlySignal<'loading' | 'live' | 'reconnecting' | 'failed' | 'missing'> = computed(() => {
    const state = this.own.state.value;
    return state === 'live' && !this.run.value ? 'missing' : state;
  });

  readonly error: ReadonlySignal<string | undefined> = computed(
    () => [this.own, ...this.parts].find(({ error }) => error.value)?.error.value?.message,
  );

  private readonly children = computed(() => {
    const found = new Map<string, KubeObject>();
    for (const part of this.parts) {
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

  /** The names of the tasks that decided how long the run took. */
  readonly critical: ReadonlySignal<ReadonlySet<string>> = computed(() => {
    const tree = this.tree.value;
    return new Set(tree && tree.children.length > 1 ? criticalPath(tree, recordedTimes).map(({ name }) => name) : []);
  });

  /** The object behind a node of the tree. */
  objectOf(node: RunNode | undefined): KubeObject | undefined {
    if (!node || node.id === this.tree.value?.id) return this.run.value;
    const [kind, name] = node.id.split('/');
    return this.children.value.get(`${kind}/${name}`);
  }

  /** The steps of a TaskRun whose containers have started. */
  stepsOf(node: RunNode | undefined): readonly LogStep[] {
    const run = this.objectOf(node) as unknown as TaskRun | undefined;
    const pod = run?.status?.podName;
    if (!run || run.kind !== 'TaskRun' || !pod) return [];
    const states = new Map((node?.children ?? []).map((step) => [step.name, step.state]));
    return (run.status?.steps ?? [])
      .filter(({ name = '', terminated }) => terminated || states.get(name) === 'running')
      .map(({ name = '', container = `step-${name}`, terminated }) => ({
        id: name,
        namespace: run.metadata.namespace ?? '',
        pod,
        container,
        isRunning: !terminated,
      }));
  }

  stop(): void {
    for (const collection of [this.own, ...this.parts]) collection.stop();
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

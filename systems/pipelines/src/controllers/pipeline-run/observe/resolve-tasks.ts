import { childName, isStatusError, isTransient, quoteGo } from '@tektite/meta';
import { type CachedTaskRun, isWhole } from '../../../cache/cache-transforms.ts';
import { Task } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { ResolverReference, TaskRef } from '../../../kinds/resolver-reference.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { childNames } from '../decide/child-names.ts';
import { countCombinations, isMatrixed } from '../../../pipeline/matrix.ts';
import { replaceInPipelineTask } from '../decide/replace-in-pipeline.ts';
import { resolveResults } from '../decide/task-results.ts';
import { type Resolved, TaskState } from '../decide/task-state.ts';
import { fetchTask } from '../../../resolution/fetch-remote.ts';
import { isRemotePending, isRemoteFailure } from '../../../resolution/remote-failure.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import { findChild } from './child-caches.ts';
import { PipelineUnavailable, readPipeline } from './get-pipeline.ts';
import type { PipelineRunServices } from './pipeline-run-services.ts';

/** Called for each remote Task and Pipeline. Throws if the run must not use it. */
type OnVerified = (verification: VerificationResult, name: string) => void;

/**
 * Resolves each task and finds its runs: started tasks first, then the others. A Task that does not exist fails the run, one that is
 * being fetched lets it wait.
 */
export async function resolveTasks(
  run: PipelineRun,
  { tasks = [], finally: final = [] }: PipelineSpec,
  options: {
    /** `namespace/name`, for messages. */
    readonly pipeline: string;
    readonly onVerified: OnVerified;
  },
  services: PipelineRunServices,
): Promise<readonly TaskState[]> {
  const children = run.status?.childReferences ?? [];
  const resolution = new TaskResolution(run, children, options.onVerified, services);
  const started = new Set(children.map(({ pipelineTaskName }) => pipelineTaskName));
  const finals = new Set(final);
  const all = [...tasks, ...final];
  const ordered = [...all.filter(({ name }) => started.has(name)), ...all.filter(({ name }) => !started.has(name))];
  resolution.prefetch(ordered);
  for (const task of ordered) {
    try {
      await resolution.add(new TaskState(task, finals.has(task)));
    } catch (error) {
      throw explain(error, run, options.pipeline);
    }
  }
  return [...resolution.states.values()];
}

function explain(error: unknown, { metadata }: PipelineRun, pipeline: string): unknown {
  const { namespace = '', name = '' } = metadata;
  if (isRemotePending(error))
    return new RunWaits('ResolvingTaskRef', `PipelineRun ${namespace}/${name} awaiting remote resource`);
  if (!(error instanceof TaskResolutionError)) return error;
  const { reason, message } = error;
  const words =
    reason === 'CouldntGetTask'
      ? `Pipeline ${pipeline} can't be Run; it contains Tasks that don't exist: ${message}`
      : reason === 'CouldntGetPipeline'
        ? `Pipeline ${pipeline} can't be Run; it contains child Pipelines that don't exist: ${message}`
        : `[User error] PipelineRun ${pipeline.slice(0, pipeline.indexOf('/'))}/${name} can't be Run; couldn't resolve all references: ${message}`;
  return new RunFailure(reason, words, { cause: error });
}

/** A task that cannot be resolved. */
class TaskResolutionError extends Error {
  override readonly name = 'TaskResolutionError';
  readonly reason: 'CouldntGetTask' | 'CouldntGetPipeline' | 'PipelineValidationFailed';

  constructor(reason: TaskResolutionError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

type LocalTask = { readonly spec: TaskSpec; readonly name: string };

class TaskResolution {
  readonly states = new Map<string, TaskState>();
  private readonly run: PipelineRun;
  private readonly children: readonly ChildReference[];
  private readonly childrenByTask = new Map<string, ChildReference[]>();
  private readonly onVerified: OnVerified;
  private readonly services: PipelineRunServices;
  private readonly local = new Map<string, Promise<LocalTask>>();

  constructor(
    run: PipelineRun,
    children: readonly ChildReference[],
    onVerified: OnVerified,
    services: PipelineRunServices,
  ) {
    this.run = run;
    this.children = children;
    this.onVerified = onVerified;
    this.services = services;
    for (const child of this.children) {
      const { pipelineTaskName = '' } = child;
      const known = this.childrenByTask.get(pipelineTaskName);
      if (known) known.push(child);
      else this.childrenByTask.set(pipelineTaskName, [child]);
    }
  }

  /** Reads the Tasks of the cluster concurrently, each once. */
  prefetch(tasks: readonly PipelineTask[]): void {
    for (const { name, taskRef } of tasks) {
      if (!taskRef?.name || taskRef.resolver || taskRef.apiVersion || taskRef.name.includes('$(')) continue;
      if (!this.childrenByTask.has(name)) this.readTask(taskRef.name).catch(() => undefined);
    }
  }

  async add(state: TaskState): Promise<void> {
    const results = state.references.length > 0 ? resolveResults(this.states, state) : undefined;
    if (results && results.missing === undefined) {
      if (results.outOfBounds !== undefined)
        throw new TaskResolutionError('PipelineValidationFailed', results.outOfBounds);
      state.task = replaceInPipelineTask(state.task, results.replacements);
    }
    const { task, kind } = state;
    state.names = childNames(this.childrenByTask.get(task.name) ?? [], {
      run: this.run.metadata.name ?? '',
      task: task.name,
      kind,
      count: task.matrix && isMatrixed(task) ? countCombinations(task.matrix) : 1,
    });
    state.runs = state.names.flatMap((name) => findChild(this.run, kind, name, this.services) ?? []);
    state.resolved = await this.resolve(state);
    this.states.set(task.name, state);
  }

  private async resolve(state: TaskState): Promise<Resolved> {
    if (state.kind === 'CustomRun') return { name: '' };
    return state.kind === 'PipelineRun' ? this.resolvePipeline(state.task) : this.resolveTask(state);
  }

  private async resolvePipeline({ name, pipelineSpec, pipelineRef }: PipelineTask): Promise<Resolved> {
    if (pipelineSpec) return { name: '', pipelineSpec };
    try {
      const { spec, metadata, verification } = await readPipeline(pipelineRef ?? {}, this.run, this.services);
      if (verification) this.onVerified(verification, name);
      return { name: metadata.name ?? '', pipelineSpec: spec };
    } catch (error) {
      if (!(error instanceof PipelineUnavailable)) throw error;
      const what = quoteGo(pipelineRef?.name?.trim() || describeReference(pipelineRef));
      throw new TaskResolutionError('CouldntGetPipeline', `Couldn't retrieve Pipeline ${what}: ${error.message}`, {
        cause: error,
      });
    }
  }

  private async resolveTask(state: TaskState): Promise<Resolved> {
    const { name, taskRef, taskSpec } = state.task;
    if (!taskRef) {
      if (taskSpec) return { name: '', taskSpec: bareSpec(taskSpec) };
      const words = `PipelineTask ${quoteGo(name)} must specify one of TaskRef, TaskSpec, PipelineRef, or PipelineSpec`;
      throw new TaskResolutionError('PipelineValidationFailed', words);
    }
    const remembered = await this.rememberedSpec(state.runs.at(-1) as CachedTaskRun | undefined);
    if (remembered) return { name: taskRef.name ?? '', taskSpec: remembered };
    try {
      const { spec, name: found } = await (taskRef.resolver
        ? this.fetchTask(name, taskRef, taskRef.resolver)
        : this.readTask(taskRef.name ?? ''));
      return { name: found, taskSpec: spec };
    } catch (error) {
      if (!isTerminal(error)) throw error;
      const what = quoteGo(taskRef.name?.trim() || describeReference(taskRef));
      throw new TaskResolutionError('CouldntGetTask', `Couldn't retrieve Task ${what}: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** The Task that the TaskRun of this task recorded. */
  private async rememberedSpec(child: CachedTaskRun | undefined): Promise<TaskSpec | undefined> {
    if (!child || isWhole(child)) return child?.status?.taskSpec;
    return this.services.completed.specOf(this.run, child, this.services.context);
  }

  private async fetchTask(task: string, { params = [] }: TaskRef, resolver: string): Promise<LocalTask> {
    const known = this.childrenByTask.get(task)?.find(({ kind }) => kind === 'TaskRun')?.name;
    const name = known ?? childName(this.run.metadata.name ?? '', `-${task}`);
    const { object, verification } = await fetchTask(this.run, { resolver, params, name }, this.services.remote);
    this.onVerified(verification, task);
    return { spec: object.spec, name: object.metadata.name ?? '' };
  }

  private readTask(name: string): Promise<LocalTask> {
    const known = this.local.get(name);
    if (known) return known;
    const { client, signal } = this.services.context;
    const key = { namespace: this.run.metadata.namespace ?? '', name };
    const reading = client.get(Task, key, { signal }).then(({ spec }) => ({ spec, name }));
    this.local.set(name, reading);
    return reading;
  }
}

/** Whether the next attempt would repeat the error. */
function isTerminal(error: unknown): error is Error {
  if (isRemoteFailure(error)) return true;
  return isStatusError(error) && !isTransient(error);
}

/** An embedded Task has fields that a Task has not. */
function bareSpec(embedded: NonNullable<PipelineTask['taskSpec']>): TaskSpec {
  const { apiVersion: _, kind: __, metadata: ___, spec: ____, ...spec } = embedded;
  return spec;
}

/** Describes a reference without a name. */
function describeReference({ resolver = '', params = [] }: ResolverReference = {}): string {
  const shown = params.flatMap(({ name, value }) => {
    if (name !== 'name' && name !== 'url') return [];
    return [`${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}\n`];
  });
  return `resolver type ${resolver}\n${shown.join('')}`;
}

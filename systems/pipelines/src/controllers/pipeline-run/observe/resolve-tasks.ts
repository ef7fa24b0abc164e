import { childName, isStatusError, quoteGo } from '@tektite/meta';
import { type CachedTaskRun, isWhole } from '../../../cache/cache-transforms.ts';
import { Task } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { ResolverReference, TaskRef } from '../../../kinds/resolver-reference.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { childNames } from '../children/child-names.ts';
import { countCombinations, isMatrixed } from '../../../pipeline/matrix.ts';
import { replaceInPipelineTask } from '../decide/replace-in-pipeline.ts';
import { resolveResults } from '../decide/task-results.ts';
import { type Resolved, TaskState } from '../decide/task-state.ts';
import { fetchTask } from '../../../resolution/fetch-remote.ts';
import { RemoteFailure, RemotePending } from '../../../resolution/remote-failure.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import { findChild } from './child-caches.ts';
import { PipelineUnavailable, readPipeline } from './get-pipeline.ts';
import type { PipelineRunServices } from '../pipeline-run-services.ts';

/** Called for each Task and Pipeline that was fetched from elsewhere. Throws if the run must not go on with it. */
type Verified = (verification: VerificationResult, name: string) => void;

/**
 * Finds out what each task is, and which runs it has: those that have begun first, then those that have not. Tasks that are not there,
 * or not yet, end the run or keep it waiting.
 */
export async function resolveTasks(
  run: PipelineRun,
  { tasks = [], finally: final = [] }: PipelineSpec,
  options: {
    readonly children: readonly ChildReference[];
    /** `namespace/name`, for messages. */
    readonly pipeline: string;
    readonly verified: Verified;
  },
  services: PipelineRunServices,
): Promise<readonly TaskState[]> {
  const work = new TaskResolution(run, options.children, options.verified, services);
  const begun = new Set(options.children.map(({ pipelineTaskName }) => pipelineTaskName));
  const finals = new Set(final);
  const all = [...tasks, ...final];
  const ordered = [...all.filter(({ name }) => begun.has(name)), ...all.filter(({ name }) => !begun.has(name))];
  work.prefetch(ordered);
  for (const task of ordered) {
    try {
      await work.add(new TaskState(task, finals.has(task)));
    } catch (error) {
      throw explain(error, run, options.pipeline);
    }
  }
  return [...work.states.values()];
}

function explain(error: unknown, { metadata }: PipelineRun, pipeline: string): unknown {
  const { namespace = '', name = '' } = metadata;
  if (error instanceof RemotePending)
    return new RunWaits('ResolvingTaskRef', `PipelineRun ${namespace}/${name} awaiting remote resource`);
  if (!(error instanceof TaskMistake)) return error;
  const { reason, message } = error;
  const words =
    reason === 'CouldntGetTask'
      ? `Pipeline ${pipeline} can't be Run; it contains Tasks that don't exist: ${message}`
      : reason === 'CouldntGetPipeline'
        ? `Pipeline ${pipeline} can't be Run; it contains child Pipelines that don't exist: ${message}`
        : `[User error] PipelineRun ${pipeline.slice(0, pipeline.indexOf('/'))}/${name} can't be Run; couldn't resolve all references: ${message}`;
  return new RunFailure(reason, words, { cause: error });
}

/** Why a task cannot be run at all. */
class TaskMistake extends Error {
  override readonly name = 'TaskMistake';
  readonly reason: 'CouldntGetTask' | 'CouldntGetPipeline' | 'PipelineValidationFailed';

  constructor(reason: TaskMistake['reason'], message: string, options?: ErrorOptions) {
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
  private readonly verified: Verified;
  private readonly services: PipelineRunServices;
  private readonly local = new Map<string, Promise<LocalTask>>();

  constructor(
    run: PipelineRun,
    children: readonly ChildReference[],
    verified: Verified,
    services: PipelineRunServices,
  ) {
    this.run = run;
    this.children = children;
    this.verified = verified;
    this.services = services;
    for (const child of this.children) {
      const { pipelineTaskName = '' } = child;
      const known = this.childrenByTask.get(pipelineTaskName);
      if (known) known.push(child);
      else this.childrenByTask.set(pipelineTaskName, [child]);
    }
  }

  /** Asks for the Tasks of the cluster at once, and for each only once. */
  prefetch(tasks: readonly PipelineTask[]): void {
    for (const { name, taskRef } of tasks) {
      if (!taskRef?.name || taskRef.resolver || taskRef.apiVersion || taskRef.name.includes('$(')) continue;
      if (!this.childrenByTask.has(name)) this.readTask(taskRef.name).catch(() => undefined);
    }
  }

  async add(state: TaskState): Promise<void> {
    const results = state.references.length > 0 ? resolveResults(this.states, state) : undefined;
    if (results && results.missing === undefined) {
      if (results.outOfBounds !== undefined) throw new TaskMistake('PipelineValidationFailed', results.outOfBounds);
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
      if (verification) this.verified(verification, name);
      return { name: metadata.name ?? '', pipelineSpec: spec };
    } catch (error) {
      if (!(error instanceof PipelineUnavailable)) throw error;
      const what = quoteGo(pipelineRef?.name?.trim() || describeReference(pipelineRef));
      throw new TaskMistake('CouldntGetPipeline', `Couldn't retrieve Pipeline ${what}: ${error.message}`, {
        cause: error,
      });
    }
  }

  private async resolveTask(state: TaskState): Promise<Resolved> {
    const { name, taskRef, taskSpec } = state.task;
    if (!taskRef) {
      if (taskSpec) return { name: '', taskSpec: bareSpec(taskSpec) };
      const words = `PipelineTask ${quoteGo(name)} must specify one of TaskRef, TaskSpec, PipelineRef, or PipelineSpec`;
      throw new TaskMistake('PipelineValidationFailed', words);
    }
    const remembered = await this.rememberedSpec(state.runs.at(-1) as CachedTaskRun | undefined);
    if (remembered) return { name: taskRef.name ?? '', taskSpec: remembered };
    try {
      const { spec, name: found } = await (taskRef.resolver
        ? this.fetchTask(name, taskRef, taskRef.resolver)
        : this.readTask(taskRef.name ?? ''));
      return { name: found, taskSpec: spec };
    } catch (error) {
      if (!isLasting(error)) throw error;
      const what = quoteGo(taskRef.name?.trim() || describeReference(taskRef));
      throw new TaskMistake('CouldntGetTask', `Couldn't retrieve Task ${what}: ${error.message}`, { cause: error });
    }
  }

  /** What the task's TaskRun was made of, if there is one. */
  private async rememberedSpec(child: CachedTaskRun | undefined): Promise<TaskSpec | undefined> {
    if (!child || isWhole(child)) return child?.status?.taskSpec;
    return this.services.finished.specOf(this.run, child, this.services.context);
  }

  private async fetchTask(task: string, { params = [] }: TaskRef, resolver: string): Promise<LocalTask> {
    const known = this.childrenByTask.get(task)?.find(({ kind }) => kind === 'TaskRun')?.name;
    const name = known ?? childName(this.run.metadata.name ?? '', `-${task}`);
    const { object, verification } = await fetchTask(this.run, { resolver, params, name }, this.services.remote);
    this.verified(verification, task);
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

/** Whether it will be the same the next time. */
function isLasting(error: unknown): error is Error {
  if (error instanceof RemoteFailure) return true;
  return isStatusError(error) && error.code < 500 && error.code !== 429;
}

/** A Task within a Pipeline has fields that a Task has not. */
function bareSpec(embedded: NonNullable<PipelineTask['taskSpec']>): TaskSpec {
  const { apiVersion: _, kind: __, metadata: ___, spec: ____, ...spec } = embedded;
  return spec;
}

/** What is asked for, where it has no name. */
function describeReference({ resolver = '', params = [] }: ResolverReference = {}): string {
  const told = params.flatMap(({ name, value }) => {
    if (name !== 'name' && name !== 'url') return [];
    return [`${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}\n`];
  });
  return `resolver type ${resolver}\n${told.join('')}`;
}

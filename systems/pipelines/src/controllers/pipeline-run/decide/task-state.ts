import type { PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import {
  type ChildKind,
  type ChildRun,
  conditionOf,
  hasFailed,
  hasSucceeded,
  isOver,
  wasCancelled,
  wasTimedOut,
} from './child-run.ts';
import { isMatrixed } from '../../../pipeline/matrix.ts';
import { type ResultReference, resultReferencesOf } from '../../../pipeline/result-reference.ts';
import { type CelOutcomes, evaluateCel } from './when.ts';

/** The Task or Pipeline that a task of a Pipeline refers to. */
export interface Resolved {
  /** Of a Task; absent for custom tasks and Pipelines. */
  readonly taskSpec?: TaskSpec;
  /** The name of the Task or Pipeline that is referred to; empty for one within the Pipeline. */
  readonly name: string;
  readonly pipelineSpec?: PipelineSpec;
}

/** The kind of the runs of a task. A custom task has both an API version and a kind. */
export function childKindOf({ taskRef, taskSpec, pipelineRef, pipelineSpec }: PipelineTask): ChildKind {
  if (pipelineRef || pipelineSpec) return 'PipelineRun';
  const isCustom = (taskRef?.apiVersion && taskRef.kind) || (taskSpec?.apiVersion && taskSpec.kind);
  return isCustom ? 'CustomRun' : 'TaskRun';
}

/** One task of a Pipeline in one reconcile: its spec, its runs, and their states. */
export class TaskState {
  /** The task with the variables replaced that are known so far. */
  task: PipelineTask;
  readonly kind: ChildKind;
  readonly isFinal: boolean;
  /** The names of its runs, created or not. */
  names: readonly string[] = [];
  runs: readonly ChildRun[] = [];
  /** Whether only some of its runs exist: a reconcile died between two creations, or runs were deleted. */
  isIncomplete = false;
  resolved: Resolved = { name: '' };
  private cel: CelOutcomes = new Map();
  private results: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(task: PipelineTask, isFinal: boolean) {
    this.task = task;
    this.kind = childKindOf(task);
    this.isFinal = isFinal;
  }

  get name(): string {
    return this.task.name;
  }

  /** The references to results that are not replaced yet. */
  get references(): readonly ResultReference[] {
    return resultReferencesOf(this.task);
  }

  get ignoresFailure(): boolean {
    return this.task.onError === 'continue';
  }

  get celOutcomes(): CelOutcomes {
    return this.cel;
  }

  /** Adds created runs. The task is complete then. */
  addRuns(created: readonly ChildRun[]): void {
    const byName = new Map([...this.runs, ...created].map((run) => [run.metadata.name, run]));
    this.runs = this.names.flatMap((name) => byName.get(name) ?? []);
    this.isIncomplete = false;
  }

  /** Throws a `CelError`. */
  evaluateCel(): void {
    this.cel = evaluateCel(this.task.when);
  }

  hasRuns(): boolean {
    return this.runs.length > 0;
  }

  /** Upstream does not count child PipelineRuns when it decides whether a task can still be skipped. */
  isScheduled(): boolean {
    return this.hasRuns() && this.kind !== 'PipelineRun';
  }

  isSuccessful(): boolean {
    return this.hasRuns() && !this.isIncomplete && this.runs.every(hasSucceeded);
  }

  /** One failed run of a matrix fails the task, once all have completed. */
  isFailure(): boolean {
    return !this.isIncomplete && this.runs.some(hasFailed) && this.runs.every(isOver);
  }

  hasFailedRun(): boolean {
    return this.runs.some(hasFailed);
  }

  isRunning(): boolean {
    return this.hasRuns() && !this.isSuccessful() && !this.isFailure();
  }

  isCancelled(): boolean {
    return this.runs.some(wasCancelled) && this.runs.every(isOver);
  }

  isCancelledForTimeout(): boolean {
    return this.runs.some(wasTimedOut) && this.runs.every(isOver);
  }

  /** Of the first run that did not succeed; else of the first. */
  reason(): string {
    const completed = this.runs.filter(({ status }) => (status?.conditions?.length ?? 0) > 0);
    const run = completed.find((each) => !hasSucceeded(each)) ?? completed[0];
    return (run && conditionOf(run)?.reason) ?? '';
  }

  /** The results of all runs of a matrix by name, in the order of the names of the runs. */
  matrixResults(): ReadonlyMap<string, readonly string[]> {
    if (this.results) return this.results;
    const byName = [...(this.runs as readonly TaskRun[])].sort((a, b) =>
      (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1,
    );
    const results = new Map<string, string[]>();
    for (const run of byName)
      for (const { name, value } of run.status?.results ?? []) {
        const text = typeof value === 'string' ? value : '';
        const list = results.get(name);
        if (list) list.push(text);
        else results.set(name, [text]);
      }
    if (this.isSuccessful() || this.isFailure()) this.results = results;
    return results;
  }

  isMatrixed(): boolean {
    return isMatrixed(this.task);
  }
}

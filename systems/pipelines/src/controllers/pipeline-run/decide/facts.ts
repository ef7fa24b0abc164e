import type { Graph } from '../../../pipeline/graph.ts';
import type { ChildRun } from './child-run.ts';
import type { SpecStatus } from './lifecycle.ts';
import { type SkipFacts, skipFinalReason, skipReason, type SkipReason } from './skip.ts';
import type { TaskState } from './task-state.ts';
import type { Stopwatch } from './timeouts.ts';

/**
 * The facts about a run in one reconcile, and what follows from them: which tasks are skipped, which are done, which can start.
 * Derived facts are kept until a fact changes.
 */
export class PipelineFacts implements SkipFacts {
  readonly states: readonly TaskState[];
  readonly byName: ReadonlyMap<string, TaskState>;
  readonly graph: Graph;
  readonly specStatus: SpecStatus;
  readonly stopwatch: Stopwatch;
  /** Tasks that cannot start because a result that they use is missing, with the reason. */
  readonly invalid = new Map<TaskState, string>();
  private readonly parents = new Map<TaskState, readonly TaskState[]>();
  private readonly skips = new Map<TaskState, SkipReason | undefined>();
  private readonly finalSkips = new Map<TaskState, SkipReason | undefined>();
  private stopping: boolean | undefined;
  private tasksDone: boolean | undefined;

  constructor(options: {
    readonly states: readonly TaskState[];
    readonly graph: Graph;
    readonly specStatus: SpecStatus;
    readonly stopwatch: Stopwatch;
  }) {
    this.states = options.states;
    this.byName = new Map(options.states.map((state) => [state.name, state]));
    this.graph = options.graph;
    this.specStatus = options.specStatus;
    this.stopwatch = options.stopwatch;
    for (const state of this.states) state.isIncomplete = this.hasToBeCompleted(state);
  }

  /** A matrix that was created in part is completed, unless the run is about to end. */
  private hasToBeCompleted({ runs, names, isFinal }: TaskState): boolean {
    if (runs.length === 0 || runs.length >= names.length || this.specStatus !== '') return false;
    const { stopwatch } = this;
    return !stopwatch.isPipelineOver() && !(isFinal ? stopwatch.isFinallyOver() : stopwatch.areTasksOver());
  }

  startFinally(time: string): void {
    this.stopwatch.startFinally(time);
    this.invalidate();
  }

  /** Adds created children to their tasks. */
  addChildren(created: ReadonlyMap<TaskState, readonly ChildRun[]>): void {
    for (const [state, children] of created) state.addRuns(children);
    this.invalidate();
  }

  private invalidate(): void {
    this.skips.clear();
    this.finalSkips.clear();
    this.stopping = undefined;
    this.tasksDone = undefined;
  }

  /** Marks a task that cannot start. */
  markInvalid(state: TaskState, why: string): void {
    this.invalid.set(state, why);
    this.invalidate();
  }

  /** Upstream does not distinguish custom tasks or child Pipelines here: an invalid one makes all of them invalid. */
  isInvalid(state: TaskState): boolean {
    if (this.invalid.size === 0) return false;
    if (this.invalid.has(state)) return true;
    return state.kind !== 'TaskRun' && [...this.invalid.keys()].some(({ kind }) => kind !== 'TaskRun');
  }

  parentsOf(state: TaskState): readonly TaskState[] {
    const known = this.parents.get(state);
    if (known) return known;
    const found = (this.graph.parents.get(state.name) ?? []).flatMap((name) => this.byName.get(name) ?? []);
    this.parents.set(state, found);
    return found;
  }

  /** Whether a failed task keeps new tasks from starting. */
  isStopping(): boolean {
    this.stopping ??= this.states.some(
      (state) => !state.isFinal && (state.isFailure() || this.isInvalid(state)) && !state.ignoresFailure,
    );
    return this.stopping;
  }

  isRunning(): boolean {
    return this.states.some((state) => !state.isFinal && state.isRunning());
  }

  /** The reason why a task is skipped; undefined for a task that runs or may still run. */
  skipOf(state: TaskState): SkipReason | undefined {
    if (this.skips.size === 0) this.computeSkips();
    return this.skips.get(state);
  }

  /** Parents first, so that each task only has to check its own. */
  private computeSkips(): void {
    for (const state of this.states) if (state.isFinal) this.skips.set(state, undefined);
    for (const name of this.graph.order) {
      const state = this.byName.get(name);
      if (state) this.skips.set(state, skipReason(state, this));
    }
  }

  skipOfFinal(state: TaskState): SkipReason | undefined {
    if (!state.isFinal) return undefined;
    if (!this.finalSkips.has(state)) this.finalSkips.set(state, skipFinalReason(state, this));
    return this.finalSkips.get(state);
  }

  isDone(state: TaskState): boolean {
    return state.isSuccessful() || state.isFailure() || this.isInvalid(state) || this.skipOf(state) !== undefined;
  }

  areParentsDone(state: TaskState): boolean {
    return state.isFinal || this.parentsOf(state).every((parent) => this.isDone(parent));
  }

  /** Whether all tasks but the final ones are completed or skipped. */
  areTasksDone(): boolean {
    this.tasksDone ??= this.states.every((state) => state.isFinal || this.isDone(state));
    return this.tasksDone;
  }

  hasFinalTasks(): boolean {
    return this.states.some(({ isFinal }) => isFinal);
  }

  /** True also without final tasks. A skipped final task is not done: upstream ignores skipping of final tasks here. */
  areFinalTasksDone(): boolean {
    return this.states.every((state) => !state.isFinal || this.isDone(state));
  }

  /** The tasks that can start now, and matrices that were created in part. */
  nextTasks(): readonly TaskState[] {
    const isEnding = this.specStatus !== '' || this.isStopping();
    return this.states.filter((state) => {
      if (state.isFinal) return false;
      if (state.hasRuns() || isEnding) return state.isIncomplete;
      return !this.isDone(state) && this.areParentsDone(state);
    });
  }

  /** The final tasks that can start now. */
  nextFinalTasks(): readonly TaskState[] {
    if (!this.areTasksDone()) return [];
    return this.states.filter((state) => state.isFinal && (!state.hasRuns() || state.isIncomplete));
  }

  isFinalTaskStarted(): boolean {
    return this.areTasksDone() && this.states.some((state) => state.isFinal && state.isScheduled());
  }
}

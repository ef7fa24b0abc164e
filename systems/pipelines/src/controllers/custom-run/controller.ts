import {
  type ControllerDefinition,
  defineController,
  generationChanged,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import type { CustomRun } from '../../kinds/custom-run.ts';
import { CustomRun as CustomRunKind } from '../../kinds/kinds.ts';
import { conditionEvent } from '../../conditions/condition-event.ts';
import { isCompleted, succeededCondition } from '../../conditions/succeeded-condition.ts';
import { advanced, type CustomRunPlan, type CustomTaskProgress, startedStatus, terminated } from './decide.ts';

/** A kind of task that is not carried out by a Pod. */
export interface CustomTask {
  /** For logs and leases. */
  readonly name: string;
  /** The reference in Pipelines: `taskRef: {apiVersion, kind}`, or the same in a `taskSpec`. */
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * Reports the progress of a CustomRun. Called when it starts, when it changes, and after `requeueMs`; it may be called any number
   * of times. It is not called for a CustomRun that was cancelled or timed out: those are completed without it.
   */
  work(run: CustomRun, context: CustomTaskContext): Promise<CustomTaskProgress> | CustomTaskProgress;
  /** Stops work that outlives its CustomRun, which was cancelled or timed out. */
  stop?(run: CustomRun, context: CustomTaskContext): Promise<void> | void;
}

/** The dependencies of a custom task. */
export interface CustomTaskContext extends Pick<ReconcileContext, 'client' | 'signal' | 'clock' | 'random' | 'log'> {
  /** The start of this attempt. */
  readonly startedAt: number;
}

/**
 * The controller of a custom task: starts CustomRuns, completes those that are cancelled or timed out, retries failed ones, and
 * writes their status. Only the work itself is left to `work`.
 *
 * @example
 * const wait = customTaskController({
 *   name: 'wait', apiVersion: 'example.com/v1', kind: 'Wait',
 *   work: (run, { clock, startedAt }) =>
 *     clock.now() - startedAt >= 10_000 ? { state: 'succeeded' } : { state: 'running', requeueMs: 1000 },
 * });
 */
export function customTaskController(task: CustomTask): ControllerDefinition {
  return defineController<CustomRun>({
    name: task.name,
    kind: CustomRunKind,
    predicate: generationChanged(),
    reconcile: (run, context) =>
      isFor(task, run) && !isCompleted(run.status) ? reconcile(task, run, context) : undefined,
  });
}

function isFor({ apiVersion, kind }: CustomTask, { spec }: CustomRun): boolean {
  const said = spec.customRef ?? spec.customSpec;
  return said?.apiVersion === apiVersion && said.kind === kind;
}

async function reconcile(task: CustomTask, run: CustomRun, context: ReconcileContext): Promise<Result | undefined> {
  const { client, signal, clock, random, log } = context;
  const now = clock.now();
  const status = startedStatus(run, now);
  const own = { client, signal, clock, random, log, startedAt: Date.parse(status.startTime ?? '') };
  const end = terminated(run, status, now);
  if (end) await task.stop?.(run, own);
  const plan: CustomRunPlan = end ?? advanced(run, status, await task.work({ ...run, status }, own), now);
  await context.writeStatus(run, plan.status);
  const event = conditionEvent(succeededCondition(run.status), succeededCondition(plan.status));
  if (event) context.event(event);
  return plan.requeueMs === undefined ? undefined : requeueAfter(plan.requeueMs);
}

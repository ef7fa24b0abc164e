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
import {
  advanced,
  begun,
  type CustomTaskProgress,
  type CustomRunStep,
  cutShort,
  isCustomRunOver,
  succeededOf,
} from './decide.ts';

/** A kind of task that is not carried out by a Pod. */
export interface CustomTask {
  /** For logs and leases. */
  readonly name: string;
  /** What Pipelines say to mean it: `taskRef: {apiVersion, kind}`, or the same in a `taskSpec`. */
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * How far the work of a CustomRun is. Called when it begins, when it changes, and when this says to look again; it may be called
   * any number of times. It is not called for one that was cancelled or whose time is over: those end without it.
   */
  work(run: CustomRun, context: CustomTaskContext): Promise<CustomTaskProgress> | CustomTaskProgress;
  /** A CustomRun ended before its work did: what it began elsewhere has to stop. */
  stop?(run: CustomRun, context: CustomTaskContext): Promise<void> | void;
}

/** What custom tasks work with. */
export interface CustomTaskContext extends Pick<ReconcileContext, 'client' | 'signal' | 'clock' | 'random' | 'log'> {
  /** When this attempt began. */
  readonly startedAt: number;
}

/**
 * The controller of a custom task: begins CustomRuns, ends those that are cancelled or out of time, tries failed ones again,
 * and tells how they go. Only what is special is left to `work`.
 *
 * @example
 * const wait = customTaskController({
 *   name: 'wait', apiVersion: 'example.com/v1', kind: 'Wait',
 *   work: (run, { clock, startedAt }) =>
 *     clock.now() - startedAt >= 10_000 ? { state: 'succeeded' } : { state: 'running', lookAgainMs: 1000 },
 * });
 */
export function customTaskController(task: CustomTask): ControllerDefinition {
  return defineController<CustomRun>({
    name: task.name,
    kind: CustomRunKind,
    predicate: generationChanged(),
    reconcile: (run, context) =>
      isFor(task, run) && !isCustomRunOver(run.status) ? look(task, run, context) : undefined,
  });
}

function isFor({ apiVersion, kind }: CustomTask, { spec }: CustomRun): boolean {
  const said = spec.customRef ?? spec.customSpec;
  return said?.apiVersion === apiVersion && said.kind === kind;
}

async function look(task: CustomTask, run: CustomRun, context: ReconcileContext): Promise<Result | undefined> {
  const { client, signal, clock, random, log } = context;
  const now = clock.now();
  const status = begun(run, now);
  const own = { client, signal, clock, random, log, startedAt: Date.parse(status.startTime ?? '') };
  const cut = cutShort(run, status, now);
  if (cut) await task.stop?.(run, own);
  const step: CustomRunStep = cut ?? advanced(run, status, await task.work({ ...run, status }, own), now);
  await context.writeStatus(run, step.status);
  const event = conditionEvent(succeededOf(run.status), succeededOf(step.status));
  if (event) context.event(event);
  return step.lookAgainMs === undefined ? undefined : requeueAfter(step.lookAgainMs);
}

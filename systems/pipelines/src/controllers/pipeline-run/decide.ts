import { isCompleted, withOutcome } from '../../conditions/succeeded-condition.ts';
import { RunFailure } from '../../conditions/run-failure.ts';
import { formatWithoutArguments } from '@tektite/go';
import type { ChildReference } from '../../kinds/pipeline-run-spec.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../kinds/pipeline-spec.ts';
import { goList } from '../../params/validate-params.ts';
import { pipelineRunTrace, spanContextOf } from '../../status/span-context.ts';
import { pipelineOutcome, timeoutMessage } from './decide/condition.ts';
import type { PipelineFacts } from './decide/facts.ts';
import {
  pipelineLabelOf,
  type PipelineRunDraft,
  startedStatus,
  withRunOutcome,
  withStatus,
} from './decide/lifecycle.ts';
import type { PipelineRunObservation } from './decide/observation.ts';
import { pipelineResults } from './decide/pipeline-results.ts';
import { withPipelineLabel } from './decide/run-labels.ts';
import { reportTasks } from './decide/run-report.ts';
import type { TaskState } from './decide/task-state.ts';
import { Stopwatch, timeoutsOf } from './decide/timeouts.ts';

const isPending = ({ spec }: PipelineRun) => spec.status === 'PipelineRunPending';

/** Starts the run: the draft has a start time, unless the run is pending, and lists all children. */
export function start({ run, children, now }: PipelineRunObservation): PipelineRunDraft {
  const spanContext = spanContextOf(run.status?.spanContext, run.metadata.annotations?.[pipelineRunTrace]);
  const status = spanContext ? { ...run.status, spanContext } : (run.status ?? {});
  const started = isPending(run) ? status : startedStatus({ ...run, status }, now);
  return { ...run, status: children.length > 0 ? { ...started, childReferences: children } : started };
}

/** How a run goes on. */
export type Course =
  /** It is completed without a further reconcile of its tasks. */
  | { readonly course: 'time out' | 'cancel'; readonly draft: PipelineRunDraft }
  | { readonly course: 'wait'; readonly draft: PipelineRunDraft }
  | { readonly course: 'advance'; readonly draft: PipelineRunDraft };

/** Decides how a run goes on, in upstream's order. Throws for a run that names no Pipeline. */
export function decideCourse({ run, defaults, now }: PipelineRunObservation, draft: PipelineRunDraft): Course {
  const { name = '' } = run.metadata;
  const stopwatch = new Stopwatch(timeoutsOf(run.spec, defaults.timeoutMinutes), draft.status, now);
  if (stopwatch.isPipelineLongOver()) return { course: 'time out', draft };
  const label = pipelineLabelOf(run);
  if (label === undefined) throw new Error(`pipelineRun ${name} not providing PipelineRef or PipelineSpec`);
  const labelled = { ...withPipelineLabel(draft, label), status: draft.status };
  if (run.spec.status === 'Cancelled') return { course: 'cancel', draft: labelled };
  if (!isPending(run)) return { course: 'advance', draft: labelled };
  const outcome = {
    status: 'Unknown',
    reason: 'PipelineRunPending',
    message: `PipelineRun "${name}" is pending`,
  } as const;
  return { course: 'wait', draft: { ...labelled, status: withOutcome(labelled.status, outcome, now) } };
}

/** A status with an error that the reconcile fails with once the status is written. */
export interface Decision {
  readonly draft: PipelineRunDraft;
  readonly error?: Error;
}

/** The run after its children were cancelled, with the errors of those that could not be. */
export function cancelled(draft: PipelineRunDraft, errors: readonly string[], now: number): Decision {
  const { name = '' } = draft.metadata;
  if (errors.length > 0) return couldNotCancel(draft, errors, now);
  const outcome = { status: 'False', reason: 'Cancelled', message: `PipelineRun "${name}" was cancelled` } as const;
  return { draft: { ...draft, status: withRunOutcome(draft.status, outcome, now) } };
}

export function couldNotCancel(draft: PipelineRunDraft, errors: readonly string[], now: number): Decision {
  const { name = '' } = draft.metadata;
  const text = errors.join('\n');
  const message = `PipelineRun "${name}" was cancelled but had errors trying to cancel TaskRuns and/or Runs: ${text}`;
  const outcome = { status: 'Unknown', reason: 'PipelineRunCouldntCancel', message } as const;
  return {
    draft: { ...draft, status: withRunOutcome(draft.status, outcome, now) },
    error: new Error(`error(s) from cancelling TaskRun(s) from PipelineRun ${name}: ${text}`),
  };
}

/** The run after its children were cancelled because of its timeout. */
export function timedOut(draft: PipelineRunDraft, limit: number, errors: readonly string[], now: number): Decision {
  const { name = '' } = draft.metadata;
  const text = errors.join('\n');
  const outcome =
    errors.length === 0
      ? ({ status: 'False', reason: 'PipelineRunTimeout', message: timeoutMessage(name, limit) } as const)
      : ({
          status: 'Unknown',
          reason: 'PipelineRunCouldntTimeOut',
          message: `PipelineRun "${name}" was timed out but had errors trying to time out TaskRuns and/or Runs: ${text}`,
        } as const);
  return {
    draft: { ...draft, status: withRunOutcome(draft.status, outcome, now) },
    ...(errors.length === 0
      ? {}
      : { error: new Error(`error(s) from timing out TaskRun(s) from PipelineRun ${name}: ${text}`) }),
  };
}

/** The children of the tasks, or of the final tasks, whose timeout has passed. */
export function overdueChildren({ status }: PipelineRunDraft, facts: PipelineFacts): readonly ChildReference[] {
  const { stopwatch } = facts;
  const inFinally = status.finallyStartTime !== undefined;
  if (inFinally ? !stopwatch.isFinallyOver() : !stopwatch.areTasksOver()) return [];
  const overdue = facts.states.filter((state) => state.isFinal === inFinally && state.isRunning());
  const names = new Set(overdue.map(({ name }) => name));
  return (status.childReferences ?? []).filter(({ pipelineTaskName = '' }) => names.has(pipelineTaskName));
}

/** Derives the condition, the children and the skipped tasks from the facts; for a completed run also the results. */
export function decideStatus(draft: PipelineRunDraft, facts: PipelineFacts, spec: PipelineSpec, now: number): Decision {
  const { name = '' } = draft.metadata;
  const outcome = pipelineOutcome(facts, name);
  const concluded = withRunOutcome(draft.status, { ...outcome, message: formatWithoutArguments(outcome.message) }, now);
  const { childReferences, skippedTasks } = reportTasks(facts);
  const { childReferences: _, skippedTasks: __, ...rest } = concluded;
  const startTime = earliest(concluded.startTime, facts.states);
  const status = {
    ...rest,
    ...(startTime ? { startTime } : {}),
    ...(childReferences.length > 0 ? { childReferences } : {}),
    ...(skippedTasks.length > 0 ? { skippedTasks } : {}),
  };
  return isCompleted(status) ? withResults({ ...draft, status }, facts, spec) : { draft: { ...draft, status } };
}

/** A run does not start after its children, even if clocks disagree. */
function earliest(startTime: string | undefined, states: readonly TaskState[]): string | undefined {
  let first = startTime;
  for (const { runs } of states)
    for (const { metadata } of runs) {
      const { creationTimestamp } = metadata;
      if (first !== undefined && creationTimestamp && Date.parse(creationTimestamp) < Date.parse(first))
        first = creationTimestamp;
    }
  return first;
}

function withResults(draft: PipelineRunDraft, facts: PipelineFacts, spec: PipelineSpec): Decision {
  const { results, invalid } = pipelineResults(spec.results ?? [], facts);
  const completed = results.length > 0 ? withStatus(draft, { results }) : draft;
  if (invalid.length === 0) return { draft: completed };
  const words = `invalid pipelineresults ${goList(invalid)}, the referenced results don't exist`;
  const message = `Failed to get PipelineResult from TaskRun Results for PipelineRun ${draft.metadata.name ?? ''}: ${words}`;
  return { draft: completed, error: new RunFailure('CouldntGetPipelineResult', message, { cause: new Error(words) }) };
}

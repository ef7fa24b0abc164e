import { formatWithoutArguments } from '@tektite/go';
import { flagsForProvenance } from '../../config/feature-flags.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunStatus } from '../../kinds/pipeline-run-spec.ts';
import type { PipelineSpec } from '../../kinds/pipeline-spec.ts';
import { pipelineOutcome, timeoutMessage } from './decide/condition.ts';
import { PipelineFacts } from './decide/facts.ts';
import { pipelineResults } from './decide/pipeline-results.ts';
import { givenParams } from './decide/pipeline-params.ts';
import { withPipelineMetadata } from './decide/run-labels.ts';
import { isCompleted, withVerification } from '../../conditions/succeeded-condition.ts';
import { withRunOutcome } from './decide/lifecycle.ts';
import { reportTasks } from './decide/run-report.ts';
import type { TaskState } from './decide/task-state.ts';
import { Stopwatch, timeoutsOf } from './decide/timeouts.ts';
import {
  validateEnumSubsets,
  validateOptionalWorkspaces,
  validateResultReferences,
  validateTaskParams,
} from './decide/validate-tasks.ts';
import { RunFailure } from '../../conditions/run-failure.ts';
import { goList } from '../../params/validate-params.ts';
import type { VerificationResult } from '../../conditions/verification-result.ts';
import { replaceInBindings } from '../../workspace/replace-in-bindings.ts';
import { createVolumes } from './act/affinity-assistants.ts';
import { endChildren } from './act/end-children.ts';
import { type FoundPipeline, getPipeline } from './observe/get-pipeline.ts';
import type { PipelineRunServices } from './pipeline-run-services.ts';
import { resolveTasks } from './observe/resolve-tasks.ts';
import { evaluate, startTasks } from './decide/schedule.ts';
import { withStepTemplates } from './decide/with-step-templates.ts';

/** A run in the making: what is found out is kept, also when it ends with an error. */
export interface Progress {
  run: PipelineRun;
}

/**
 * Takes a run as far as it can go now: finds its Pipeline, checks it, starts what can start, and says how it stands. Throws a `RunFailure` or
 * `RunWaits`, or an error that may go by itself.
 */
export async function runPipeline(progress: Progress, services: PipelineRunServices): Promise<void> {
  const original = await getPipeline(progress.run, services);
  const found = { ...original, spec: withStepTemplates(original.spec) };
  remember(progress, found, services);
  if (found.verification) verify(progress, found.verification, found.metadata.name ?? '', services);
  const prepared = services.pipelines.prepare(progress.run, found, services);
  setStatus(progress, { pipelineSpec: prepared.spec });
  const states = await resolveTasks(
    progress.run,
    prepared.spec,
    {
      children: progress.run.status?.childReferences ?? [],
      pipeline: `${found.metadata.namespace ?? ''}/${found.metadata.name ?? ''}`,
      verified: (verification, task) => verify(progress, verification, task, services),
    },
    services,
  );
  const run = withBoundParams(progress.run);
  const facts = new PipelineFacts({
    states,
    graph: prepared.graph,
    specStatus: run.spec.status ?? '',
    stopwatch: new Stopwatch(timeoutsOf(run.spec, services.defaults.timeoutMinutes), run.status ?? {}, services.now),
  });
  validateStates(run, facts, found.spec, services);
  await cancelGracefully(progress, facts, services);
  if (!states.some((state) => state.hasRuns())) await checkBeforeFirst(run, facts, prepared.spec, services);
  await endOverdue(run, facts, services);
  await startTasks(run, facts, services, (finallyStartTime) => setStatus(progress, { finallyStartTime }));
  await endIfOver(progress, facts, services);
  conclude(progress, facts, prepared.spec, services);
}

function setStatus(progress: Progress, changes: PipelineRunStatus): void {
  progress.run = { ...progress.run, status: { ...progress.run.status, ...changes } };
}

/** The Pipeline as it was when the run began, and where it came from. */
function remember(
  progress: Progress,
  { spec, metadata, refSource }: FoundPipeline,
  { flags }: PipelineRunServices,
): void {
  if (!progress.run.status?.pipelineSpec) {
    progress.run = withPipelineMetadata(progress.run, metadata);
    setStatus(progress, { pipelineSpec: spec });
  }
  if (!flags.enableProvenanceInStatus) return;
  const { provenance = {} } = progress.run.status ?? {};
  const source = provenance.refSource ?? refSource;
  setStatus(progress, {
    provenance: { ...provenance, ...(source ? { refSource: source } : {}), featureFlags: flagsForProvenance(flags) },
  });
}

function verify(
  progress: Progress,
  verification: VerificationResult,
  resource: string,
  { now }: PipelineRunServices,
): void {
  const { namespace = '', name = '' } = progress.run.metadata;
  const told = 'message' in verification ? verification.message : '';
  const failed = `pipelineRun ${namespace}/${name} referred resource ${resource} failed signature verification: ${told}`;
  const isFatal = verification.outcome === 'failed';
  const status = withVerification(progress.run.status ?? {}, verification, isFatal ? failed : told, now);
  progress.run = { ...progress.run, status };
  if (isFatal)
    throw new RunFailure('ResourceVerificationFailed', formatWithoutArguments(failed), { cause: new Error(failed) });
}

/** Parameters may be in the workspaces that a run brings. */
function withBoundParams(run: PipelineRun): PipelineRun {
  const { workspaces, params = [] } = run.spec;
  if (!workspaces) return run;
  return { ...run, spec: { ...run.spec, workspaces: replaceInBindings(workspaces, givenParams(params)) } };
}

function validateStates(
  run: PipelineRun,
  { states }: PipelineFacts,
  original: PipelineSpec,
  { flags }: PipelineRunServices,
): void {
  validateTaskParams(states, run.metadata.name ?? '');
  if (flags.enableParamEnum) validateEnumSubsets(states, original);
  for (const state of states) evaluate(state, run);
}

async function checkBeforeFirst(
  run: PipelineRun,
  { states, byName }: PipelineFacts,
  spec: PipelineSpec,
  services: PipelineRunServices,
): Promise<void> {
  validateResultReferences(byName, spec, run.metadata.name ?? '');
  validateOptionalWorkspaces(states, spec);
  await createVolumes(run, services);
}

/** Ends what runs, so that the final tasks can. */
async function cancelGracefully(
  progress: Progress,
  facts: PipelineFacts,
  services: PipelineRunServices,
): Promise<void> {
  const { run } = progress;
  if (facts.specStatus !== 'CancelledRunFinally' || !facts.isRunning()) return;
  const errors = await endChildren(run, run.status?.childReferences ?? [], 'cancelled', services);
  if (errors.length === 0) return;
  const { name = '' } = run.metadata;
  const text = errors.join('\n');
  const message = `PipelineRun "${name}" was cancelled but had errors trying to cancel TaskRuns and/or Runs: ${text}`;
  const status = withRunOutcome(
    run.status ?? {},
    { status: 'Unknown', reason: 'PipelineRunCouldntCancel', message },
    services.now,
  );
  progress.run = { ...run, status };
  throw new Error(`error(s) from cancelling TaskRun(s) from PipelineRun ${name}: ${text}`);
}

/** Ends the tasks, or the final tasks, whose time is over. */
async function endOverdue(run: PipelineRun, facts: PipelineFacts, services: PipelineRunServices): Promise<void> {
  const { stopwatch } = facts;
  const inFinally = run.status?.finallyStartTime !== undefined;
  if (inFinally ? !stopwatch.isFinallyOver() : !stopwatch.areTasksOver()) return;
  const late = facts.states.filter((state) => state.isFinal === inFinally && state.isRunning());
  const names = new Set(late.map(({ name }) => name));
  const children = (run.status?.childReferences ?? []).filter(({ pipelineTaskName = '' }) =>
    names.has(pipelineTaskName),
  );
  const errors = await endChildren(run, children, 'timedOut', services);
  if (errors.length > 0)
    throw new Error(
      `error(s) from cancelling TaskRun(s) from PipelineRun ${run.metadata.name ?? ''}: ${errors.join('\n')}`,
    );
}

/** Ends everything when the time of the whole run is over. */
async function endIfOver(progress: Progress, facts: PipelineFacts, services: PipelineRunServices): Promise<void> {
  if (!facts.stopwatch.isPipelineOver()) return;
  const { run } = progress;
  const { name = '' } = run.metadata;
  const errors = await endChildren(run, reportTasks(facts).childReferences, 'timedOut', services);
  const { pipeline } = facts.stopwatch.timeouts;
  const text = errors.join('\n');
  const outcome =
    errors.length === 0
      ? ({ status: 'False', reason: 'PipelineRunTimeout', message: timeoutMessage(name, pipeline) } as const)
      : ({
          status: 'Unknown',
          reason: 'PipelineRunCouldntTimeOut',
          message: `PipelineRun "${name}" was timed out but had errors trying to time out TaskRuns and/or Runs: ${text}`,
        } as const);
  progress.run = { ...run, status: withRunOutcome(run.status ?? {}, outcome, services.now) };
  if (errors.length > 0) throw new Error(`error(s) from timing out TaskRun(s) from PipelineRun ${name}: ${text}`);
}

/** How the run stands now: its condition, its children, what is skipped; in the end, its results. */
function conclude(progress: Progress, facts: PipelineFacts, spec: PipelineSpec, { now }: PipelineRunServices): void {
  const { name = '' } = progress.run.metadata;
  const outcome = pipelineOutcome(facts, name);
  const status = withRunOutcome(
    progress.run.status ?? {},
    { ...outcome, message: formatWithoutArguments(outcome.message) },
    now,
  );
  const { childReferences, skippedTasks } = reportTasks(facts);
  const { childReferences: _, skippedTasks: __, ...rest } = status;
  const startTime = earliest(status.startTime, facts.states);
  progress.run = {
    ...progress.run,
    status: {
      ...rest,
      ...(startTime ? { startTime } : {}),
      ...(childReferences.length > 0 ? { childReferences } : {}),
      ...(skippedTasks.length > 0 ? { skippedTasks } : {}),
    },
  };
  if (isCompleted(progress.run.status)) addResults(progress, facts, spec);
}

/** A run did not begin after its children. */
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

function addResults(progress: Progress, facts: PipelineFacts, spec: PipelineSpec): void {
  const { results, invalid } = pipelineResults(spec.results ?? [], facts);
  if (results.length > 0) setStatus(progress, { results });
  if (invalid.length === 0) return;
  const words = `invalid pipelineresults ${goList(invalid)}, the referenced results don't exist`;
  throw new RunFailure(
    'CouldntGetPipelineResult',
    `Failed to get PipelineResult from TaskRun Results for PipelineRun ${progress.run.metadata.name ?? ''}: ${words}`,
    { cause: new Error(words) },
  );
}

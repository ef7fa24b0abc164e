import type { EventText } from '@tektite/controller/events';
import type { VerificationResult } from '../../conditions/verification-result.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../kinds/pipeline-spec.ts';
import { replaceInBindings } from '../../workspace/replace-in-bindings.ts';
import { createChildren } from './act/create-children.ts';
import { terminateChildren } from './act/terminate-children.ts';
import { createVolumes } from './act/volumes.ts';
import { draftChildren } from './children/draft-children.ts';
import { couldNotCancel, type Decision, decideStatus, overdueChildren, timedOut } from './decide.ts';
import { PipelineFacts } from './decide/facts.ts';
import { type PipelineRunDraft, withStatus } from './decide/lifecycle.ts';
import type { PipelineRunObservation } from './decide/observation.ts';
import { givenParams } from './decide/pipeline-params.ts';
import { type Conclusion, fail } from './decide/plan.ts';
import { recordPipeline, recordVerification } from './decide/record-pipeline.ts';
import { reportTasks } from './decide/run-report.ts';
import {
  evaluateWhen,
  finallyStartTime,
  startableFinalTasks,
  startableTasks,
  withoutSkipped,
} from './decide/schedule.ts';
import { Stopwatch, timeoutsOf } from './decide/timeouts.ts';
import {
  validateEnumSubsets,
  validateOptionalWorkspaces,
  validateResultReferences,
  validateTaskParams,
} from './decide/validate-tasks.ts';
import { withStepTemplates } from './decide/with-step-templates.ts';
import { getPipeline } from './observe/get-pipeline.ts';
import type { PipelineRunServices } from './observe/pipeline-run-services.ts';
import { resolveTasks } from './observe/resolve-tasks.ts';

/**
 * Advances a run as far as it can go now, in upstream's order:
 *
 * 1. resolve the Pipeline, record it in the status, validate it, and replace its variables;
 * 2. resolve the Tasks and find their runs;
 * 3. terminate the runs of tasks that are cancelled or overdue;
 * 4. create the runs of tasks that can start;
 * 5. derive the status.
 *
 * An error ends it. The draft keeps what was decided before.
 */
export async function advance(
  observation: PipelineRunObservation,
  started: PipelineRunDraft,
  services: PipelineRunServices,
): Promise<Conclusion> {
  const { now, flags, defaults } = observation;
  const events: EventText[] = [];
  let draft = started;
  const accept = (decision: Decision) => {
    draft = decision.draft;
    if (decision.error) throw decision.error;
  };
  const verify = (verification: VerificationResult, resource: string) => {
    const { draft: verified, failure: error } = recordVerification(draft, verification, resource, now);
    accept({ draft: verified, ...(error ? { error } : {}) });
  };
  try {
    const resolved = await getPipeline(draft, services);
    const found = { ...resolved, spec: withStepTemplates(resolved.spec) };
    draft = recordPipeline(draft, found, flags);
    if (found.verification) verify(found.verification, found.metadata.name ?? '');
    const { spec, graph } = services.pipelines.prepare(draft, found, observation);
    draft = withStatus(draft, { pipelineSpec: spec });

    const pipeline = `${found.metadata.namespace ?? ''}/${found.metadata.name ?? ''}`;
    const states = await resolveTasks(draft, spec, { pipeline, onVerified: verify }, services);
    const run = withParamsInBindings(draft);
    const stopwatch = new Stopwatch(timeoutsOf(run.spec, defaults.timeoutMinutes), draft.status, now);
    const facts = new PipelineFacts({ states, graph, specStatus: run.spec.status ?? '', stopwatch });
    validateStates(run, facts, found.spec, observation);

    if (facts.specStatus === 'CancelledRunFinally' && facts.isRunning()) {
      const errors = await terminateChildren(run, draft.status.childReferences ?? [], 'cancelled', services);
      if (errors.length > 0) accept(couldNotCancel(draft, errors, now));
    }
    if (!states.some((state) => state.hasRuns())) {
      validateResultReferences(facts.byName, spec, run.metadata.name ?? '');
      validateOptionalWorkspaces(states, spec);
      await createVolumes(run, services);
    }
    await terminateOverdue(draft, facts, services);

    const startable = startableTasks(facts);
    events.push(...startable.events);
    const next = [...startable.tasks, ...startableFinalTasks(run, facts)];
    const finallyStarted = finallyStartTime(run, facts, next, now);
    if (finallyStarted !== undefined) {
      facts.startFinally(finallyStarted);
      draft = withStatus(draft, { finallyStartTime: finallyStarted });
    }
    const starting = withoutSkipped(next, facts);
    if (starting.length > 0) {
      const drafts = draftChildren(starting, run, facts, observation);
      if (drafts.failure?.event) events.push(drafts.failure.event);
      facts.addChildren(await createChildren(drafts, run, services));
      if (drafts.failure) throw drafts.failure.error;
    }

    if (stopwatch.isPipelineOver()) {
      const errors = await terminateChildren(run, reportTasks(facts).childReferences, 'timedOut', services);
      accept(timedOut(draft, stopwatch.timeouts.pipeline, errors, now));
    }
    accept(decideStatus(draft, facts, spec, now));
    return { draft, events };
  } catch (error) {
    return { ...fail(draft, error, now), events };
  }
}

/** Replaces params in the workspaces that a run binds. */
function withParamsInBindings(run: PipelineRun): PipelineRun {
  const { workspaces, params = [] } = run.spec;
  if (!workspaces) return run;
  return { ...run, spec: { ...run.spec, workspaces: replaceInBindings(workspaces, givenParams(params)) } };
}

function validateStates(
  run: PipelineRun,
  { states }: PipelineFacts,
  original: PipelineSpec,
  { flags }: PipelineRunObservation,
): void {
  validateTaskParams(states, run.metadata.name ?? '');
  if (flags.enableParamEnum) validateEnumSubsets(states, original);
  for (const state of states) evaluateWhen(state, run);
}

async function terminateOverdue(
  draft: PipelineRunDraft,
  facts: PipelineFacts,
  services: PipelineRunServices,
): Promise<void> {
  const errors = await terminateChildren(draft, overdueChildren(draft, facts), 'timedOut', services);
  if (errors.length === 0) return;
  const { name = '' } = draft.metadata;
  throw new Error(`error(s) from cancelling TaskRun(s) from PipelineRun ${name}: ${errors.join('\n')}`);
}

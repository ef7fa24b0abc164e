import { formatTime, knativeConditionSet } from '@tektite/meta';
import { flagsForProvenance } from '../../config/feature-flags.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../kinds/task-run-spec.ts';
import type { TaskSpec } from '../../kinds/task-spec.ts';
import type { RemotePlace } from '../../resolution/fetch-remote.ts';
import type { VerificationResult } from '../../trust/verification-result.ts';
import { defaultTaskRun } from '../../rules/defaults/default-task-run.ts';
import { defaultTaskSpec } from '../../rules/defaults/default-task.ts';
import type { Rules } from '../../rules/rules.ts';
import { withDefaultWorkspaces } from './decide/default-workspaces.ts';
import { labelled } from './decide/run-labels.ts';
import { resolveSteps, withSources } from './observe/resolve-steps.ts';
import { type ResolvedTask, resolveTask } from './observe/resolve-task.ts';
import { RunFailure } from '../../conditions/run-failure.ts';
import type { TaskRunLook } from './task-run-look.ts';
import { validateArrayIndices, validateEnums, validateParams } from '../../params/validate-params.ts';
import { validateRequests } from './decide/validate-requests.ts';
import { validateOverrides, validateSingleClaim, validateWorkspaces } from './decide/validate-workspaces.ts';

/** A Task that a run can begin with. */
export interface PreparedTask {
  readonly spec: TaskSpec;
  readonly name: string;
}

/**
 * Finds the Task and its StepActions, remembers them, and checks that they and the run fit together, in Tekton's order: the
 * first mistake is the one that is told. What was found until then is remembered too.
 */
export async function prepare(run: TaskRunLook): Promise<PreparedTask> {
  const { flags, defaults, context, options } = run;
  const rules: Rules = { flags, defaults, version: 'v1', isCreate: false };
  run.taskRun = defaultTaskRun(run.taskRun, rules);
  const place: RemotePlace = {
    client: context.client,
    signal: context.signal,
    random: context.random,
    settings: options,
  };
  const resolved = await resolveTask({ ...run.taskRun, status: run.status }, place);
  const spec = defaultTaskSpec(resolved.spec, rules);
  const isFirst = !run.status.taskSpec;
  remember(run, resolved, spec);
  const steps = await resolveSteps(spec, run.taskRun, place, defaults.stepRefConcurrencyLimit);
  run.status = { ...run.status, steps: withSources(run.status.steps ?? [], steps) };
  const task = spec.steps ? { ...spec, steps: steps.map(({ step }) => step) } : spec;
  if (isFirst) run.status = { ...run.status, taskSpec: task };
  verify(run, resolved.verification);
  run.taskRun = validated(task, run.taskRun, resolved.name, run);
  return { spec: task, name: resolved.name };
}

/** Stores the Task in the status, once, and what it says of itself in the run; and how the controller was set, each time. */
function remember(run: TaskRunLook, resolved: ResolvedTask, spec: TaskSpec): void {
  if (!run.status.taskSpec) {
    run.taskRun = labelled(run.taskRun, resolved);
    run.status = { ...run.status, taskSpec: spec };
  }
  if (!run.flags.enableProvenanceInStatus) return;
  const { provenance = {} } = run.status;
  const refSource = provenance.refSource ?? resolved.refSource;
  const featureFlags = flagsForProvenance(run.flags);
  run.status = { ...run.status, provenance: { ...provenance, ...(refSource ? { refSource } : {}), featureFlags } };
}

const trust = knativeConditionSet('Succeeded', []);

/** A Task that is not signed as it should be is not run. */
function verify(run: TaskRunLook, verification: VerificationResult | undefined): void {
  if (!verification || verification.outcome === 'skipped') return;
  const status = verification.outcome === 'passed' ? 'True' : 'False';
  const message = 'message' in verification ? verification.message : '';
  const condition = { type: 'TrustedResourcesVerified', status, ...(message ? { message } : {}) } as const;
  const before = (run.status.conditions ?? []) as Parameters<typeof trust.set>[0];
  run.status = {
    ...run.status,
    conditions: trust.set(before, condition, formatTime(run.now)) as NonNullable<TaskRunStatus['conditions']>,
  };
  if (verification.outcome === 'failed') throw new RunFailure('ResourceVerificationFailed', message);
}

/** The run with the workspaces that it gets by default. Throws a `RunFailure` for what does not fit. */
function validated(task: TaskSpec, given: TaskRun, taskName: string, { flags, defaults }: TaskRunLook): TaskRun {
  const { params: specs = [] } = task;
  const params = given.spec.params ?? [];
  validateRequests(task);
  validateParams(specs, params, taskName);
  if (flags.enableParamEnum) validateEnums(specs, params);
  validateArrayIndices(task, specs, params);
  const taskRun = withDefaultWorkspaces(given, task, defaults.taskRunWorkspaceBinding);
  const bindings = taskRun.spec.workspaces ?? [];
  // A Task within a run has the workspaces of the run, declared or not.
  const propagated = taskRun.spec.taskSpec ? bindings.map(({ name }) => ({ name })) : [];
  validateWorkspaces([...propagated, ...(task.workspaces ?? [])], bindings);
  if (flags.coschedule === 'workspaces') validateSingleClaim(bindings);
  validateOverrides(task, taskRun.spec);
  return taskRun;
}

import { withVerification } from '../../../conditions/succeeded-condition.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import { type FeatureFlags, flagsForProvenance } from '../../../config/feature-flags.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import type { ResolvedStep, ResolvedTask } from './observation.ts';
import { type TaskRunDraft, withStatus } from './lifecycle.ts';
import { withTaskMetadata } from './run-metadata.ts';
import { withSources } from './step-sources.ts';

/**
 * Records the Task in the status and its labels in the run, once, so that a run does not change when its Task does. Records the
 * feature flags each time.
 */
export function recordTask(
  draft: TaskRunDraft,
  resolved: ResolvedTask,
  spec: TaskSpec,
  flags: FeatureFlags,
): TaskRunDraft {
  const recorded = draft.status.taskSpec
    ? draft
    : withStatus({ ...withTaskMetadata(draft, resolved), status: draft.status }, { taskSpec: spec });
  if (!flags.enableProvenanceInStatus) return recorded;
  const { provenance = {} } = recorded.status;
  const refSource = provenance.refSource ?? resolved.refSource;
  return withStatus(recorded, {
    provenance: { ...provenance, ...(refSource ? { refSource } : {}), featureFlags: flagsForProvenance(flags) },
  });
}

/** Records the sources of the steps and, for a Task that is recorded for the first time, the Task with its StepActions resolved. */
export function recordSteps(
  draft: TaskRunDraft,
  steps: readonly ResolvedStep[],
  taskSpec: TaskSpec | undefined,
): TaskRunDraft {
  return withStatus(draft, {
    steps: withSources(draft.status.steps ?? [], steps),
    ...(taskSpec ? { taskSpec } : {}),
  });
}

export function recordVerification(
  draft: TaskRunDraft,
  verification: VerificationResult | undefined,
  now: number,
): TaskRunDraft {
  if (!verification) return draft;
  const message = 'message' in verification ? verification.message : '';
  return { ...draft, status: withVerification(draft.status, verification, message, now) };
}

import { RunFailure } from '../../../conditions/run-failure.ts';
import { withVerification } from '../../../conditions/succeeded-condition.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import { type FeatureFlags, flagsForProvenance } from '../../../config/feature-flags.ts';
import { formatWithoutArguments } from '@tektite/go';
import { type PipelineRunDraft, withStatus } from './lifecycle.ts';
import type { FoundPipeline } from './observation.ts';
import { withPipelineMetadata } from './run-labels.ts';

/**
 * Records the Pipeline in the status and its labels in the run, once, so that a run does not change when its Pipeline does.
 * Records the feature flags each time.
 */
export function recordPipeline(
  draft: PipelineRunDraft,
  { spec, metadata, refSource }: FoundPipeline,
  flags: FeatureFlags,
): PipelineRunDraft {
  const recorded = draft.status.pipelineSpec
    ? draft
    : withStatus({ ...withPipelineMetadata(draft, metadata), status: draft.status }, { pipelineSpec: spec });
  if (!flags.enableProvenanceInStatus) return recorded;
  const { provenance = {} } = recorded.status;
  const source = provenance.refSource ?? refSource;
  return withStatus(recorded, {
    provenance: { ...provenance, ...(source ? { refSource: source } : {}), featureFlags: flagsForProvenance(flags) },
  });
}

/** Records whether a Pipeline or Task carries the required signature, and the failure of the run if it must not go on without it. */
export function recordVerification(
  draft: PipelineRunDraft,
  verification: VerificationResult,
  resource: string,
  now: number,
): { readonly draft: PipelineRunDraft; readonly failure?: RunFailure } {
  const { namespace = '', name = '' } = draft.metadata;
  const detail = 'message' in verification ? verification.message : '';
  const failed = `pipelineRun ${namespace}/${name} referred resource ${resource} failed signature verification: ${detail}`;
  const isFatal = verification.outcome === 'failed';
  const status = withVerification(draft.status, verification, isFatal ? failed : detail, now);
  if (!isFatal) return { draft: { ...draft, status } };
  const failure = new RunFailure('ResourceVerificationFailed', formatWithoutArguments(failed), {
    cause: new Error(failed),
  });
  return { draft: { ...draft, status }, failure };
}

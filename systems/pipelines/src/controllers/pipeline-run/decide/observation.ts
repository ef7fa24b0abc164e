import type { ObjectMeta } from '@tektite/meta';
import type { CachedPipelineRun } from '../../../cache/cache-transforms.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../../kinds/pipeline-spec.ts';
import type { RefSource } from '../../../kinds/run-status.ts';

/** The state that a reconcile starts from. It is read once; phases that read more return it as separate values. */
export interface PipelineRunObservation {
  readonly run: PipelineRun;
  /** All children, also those that were created by a reconcile which died before it wrote the status. */
  readonly children: readonly ChildReference[];
  /** The PipelineRuns that this one is a child of, nearest first. */
  readonly ancestors: readonly CachedPipelineRun[];
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  readonly now: number;
}

/** The Pipeline of a run, with its source. */
export interface FoundPipeline {
  readonly spec: PipelineSpec;
  /** The metadata of an embedded Pipeline is that of the run. */
  readonly metadata: ObjectMeta;
  readonly refSource?: RefSource;
  readonly verification?: VerificationResult;
}

import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { VerificationResult } from '../../../conditions/verification-result.ts';
import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { RefSource } from '../../../kinds/run-status.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { Step, TaskSpec } from '../../../kinds/task-spec.ts';

/** The state that a reconcile starts from. It is read once; phases that read more return it as separate values. */
export interface TaskRunObservation {
  readonly taskRun: TaskRun;
  /** The Pod of the current attempt. */
  readonly pod: CachedPod | undefined;
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  readonly release: string;
  readonly now: number;
}

/** The Task of a run, with the metadata that the run takes over. */
export interface ResolvedTask {
  readonly spec: TaskSpec;
  /** The name of the Task; of one within a run, the run's. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The source of a remote Task. */
  readonly refSource?: RefSource;
  readonly verification?: VerificationResult;
}

/** A step with its StepAction applied, and the source of the StepAction. */
export interface ResolvedStep {
  readonly step: Step;
  readonly refSource?: RefSource;
}

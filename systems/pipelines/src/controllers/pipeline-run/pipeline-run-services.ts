import type { ReconcileContext } from '@tektite/controller';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import type { FeatureFlags } from '../../config/feature-flags.ts';
import type { RemotePlace } from '../../resolution/fetch-remote.ts';
import type { ChildCaches } from './observe/child-caches.ts';
import type { FinishedTasks } from './observe/finished-tasks.ts';
import type { PreparedPipelines } from './decide/prepare-pipeline.ts';

/** What the phases of a look at a run work with. */
export interface PipelineRunServices {
  readonly context: ReconcileContext;
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  /** Where what is elsewhere is asked for. */
  readonly remote: RemotePlace;
  /** The image of affinity assistants. */
  readonly nopImage: string;
  readonly now: number;
  /** What was worked out before for runs that are under way. */
  readonly pipelines: PreparedPipelines;
  readonly finished: FinishedTasks;
  /** Where the children of runs are found. */
  readonly children: ChildCaches;
}

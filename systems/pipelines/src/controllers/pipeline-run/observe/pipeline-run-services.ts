import type { ReconcileContext } from '@tektite/controller';
import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { PipelineRunMetrics } from '../../../metrics/pipeline-run-metrics.ts';
import type { RemotePlace } from '../../../resolution/fetch-remote.ts';
import type { ChildCaches } from './child-caches.ts';
import type { CompletedTasks } from './completed-tasks.ts';
import type { PreparedPipelines } from '../decide/prepare-pipeline.ts';

/** Settings and I/O of one reconcile. */
export interface PipelineRunServices {
  readonly context: ReconcileContext;
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  /** Fetches Pipelines and Tasks by resolvers. */
  readonly remote: RemotePlace;
  /** The image of affinity assistants. */
  readonly nopImage: string;
  readonly now: number;
  /** Prepared Pipelines of runs in progress. */
  readonly pipelines: PreparedPipelines;
  readonly completed: CompletedTasks;
  readonly children: ChildCaches;
  readonly metrics?: PipelineRunMetrics;
}

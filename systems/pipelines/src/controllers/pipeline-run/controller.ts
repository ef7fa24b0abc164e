import {
  type ControllerDefinition,
  defineController,
  generationChanged,
  owned,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { type CachedPipelineRun, type CacheTransforms, isWhole } from '../../cache/cache-transforms.ts';
import type { CurrentSettings } from '../../config/current-settings.ts';
import { PipelineRun as PipelineRunKind } from '../../kinds/kinds.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { PipelineRunMetrics } from '../../metrics/pipeline-run-metrics.ts';
import { act } from './act.ts';
import { terminateChildren } from './act/terminate-children.ts';
import { cleanUpVolumes } from './act/volumes.ts';
import { advance } from './advance.ts';
import { cancelled, type Decision, decideCourse, start, timedOut } from './decide.ts';
import { isManaged, type PipelineRunDraft } from './decide/lifecycle.ts';
import type { PipelineRunObservation } from './decide/observation.ts';
import { type Conclusion, conclude } from './decide/plan.ts';
import { PreparedPipelines } from './decide/prepare-pipeline.ts';
import { timeoutsOf } from './decide/timeouts.ts';
import { observe } from './observe.ts';
import { childCaches } from './observe/child-caches.ts';
import { CompletedTasks } from './observe/completed-tasks.ts';
import type { PipelineRunServices } from './observe/pipeline-run-services.ts';

/** Settings and dependencies of the PipelineRun controller. */
export interface PipelineRunOptions extends CurrentSettings {
  /** The image of affinity assistants. */
  readonly nopImage: string;
  readonly transforms: CacheTransforms;
  readonly metrics?: PipelineRunMetrics;
}

/** State that all reconciles share. It only saves work. */
type Memory = Pick<PipelineRunServices, 'pipelines' | 'completed' | 'children'>;

const requests = owned(ResolutionRequest);

/** Reconciles PipelineRuns: TaskRuns, CustomRuns and PipelineRuns for their tasks, and a status derived from these. */
export function pipelineRunController(options: PipelineRunOptions): ControllerDefinition {
  const children = childCaches(options.transforms);
  const memory: Memory = { pipelines: new PreparedPipelines(), completed: new CompletedTasks(), children };
  return defineController<PipelineRun, CachedPipelineRun>({
    name: 'pipelinerun',
    queue: 'github.com.tektoncd.pipeline.pkg.reconciler.pipelinerun.Reconciler',
    kind: PipelineRunKind,
    transform: options.transforms.pipelineRun,
    predicate: generationChanged(),
    traceOf: (run) => (isWhole(run) ? run.status?.spanContext : undefined),
    sources: [children.taskRuns, children.customRuns, children.pipelineRuns, requests],
    gone: (key) => options.metrics?.deleted(key),
    reconcile: (run, context) => {
      if (!isManaged(run) || run.metadata.deletionTimestamp) return undefined;
      const services = servicesOf(context, options, memory);
      return isWhole(run) ? reconcile(run, services) : cleanUpVolumes(run, services);
    },
  });
}

function servicesOf(context: ReconcileContext, options: PipelineRunOptions, memory: Memory): PipelineRunServices {
  const { client, signal, random } = context;
  return {
    context,
    flags: options.flags(),
    defaults: options.defaults(),
    remote: {
      client,
      signal,
      random,
      settings: options,
      findRequest: ({ namespace, name }) => context.cache(requests).get(`${namespace}/${name}`),
    },
    nopImage: options.nopImage,
    ...(options.metrics ? { metrics: options.metrics } : {}),
    now: context.clock.now(),
    ...memory,
  };
}

/** Follows upstream's order: record the start time, terminate the run or advance it, then write the status. */
async function reconcile(run: PipelineRun, services: PipelineRunServices): Promise<Result | undefined> {
  const observation = observe(run, services);
  const started = start(observation);
  const conclusion = await proceed(observation, started, services);
  const plan = conclude(observation, started, conclusion);
  await act(plan, services);
  if (conclusion.transient !== undefined) throw conclusion.transient;
  return plan.requeueMs === undefined ? undefined : requeueAfter(plan.requeueMs);
}

async function proceed(
  observation: PipelineRunObservation,
  started: PipelineRunDraft,
  services: PipelineRunServices,
): Promise<Conclusion> {
  const { run, children, defaults, now } = observation;
  try {
    const { course, draft } = decideCourse(observation, started);
    if (course === 'wait') return { draft };
    if (course === 'advance') return await advance(observation, draft, services);
    if (course === 'cancel')
      return concluded(cancelled(draft, await terminateChildren(run, children, 'cancelled', services), now));
    const errors = await terminateChildren(run, children, 'timedOut', services);
    const { pipeline } = timeoutsOf(run.spec, defaults.timeoutMinutes);
    const decision = timedOut(draft, pipeline, errors, now);
    // The next reconcile tries again: the condition stays as it is until then.
    return concluded(decision.error ? { ...decision, draft } : decision);
  } catch (error) {
    return { draft: started, transient: error };
  }
}

const concluded = ({ draft, error }: Decision): Conclusion => ({ draft, ...(error ? { transient: error } : {}) });

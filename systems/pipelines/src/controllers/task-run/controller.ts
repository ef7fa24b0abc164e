import { SharedReads } from '@tektite/client';
import { type ControllerDefinition, defineController, owned, requeueAfter, type Result } from '@tektite/controller';
import { type CachedTaskRun, isWhole } from '../../cache/cache-transforms.ts';
import { TaskRun as TaskRunKind } from '../../kinds/kinds.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import { act } from './act.ts';
import { stopSidecars } from './act/stop-sidecars.ts';
import { advance } from './advance.ts';
import { start, stop } from './decide.ts';
import { isManaged } from './decide/lifecycle.ts';
import { conclude } from './decide/plan.ts';
import { observe } from './observe.ts';
import { NativeSidecars } from './native-sidecars.ts';
import { limitRanges, podsOf, type TaskRunOptions, type TaskRunServices } from './task-run-options.ts';

/** Reconciles TaskRuns: a Pod for each attempt, and a status derived from it. */
export function taskRunController(options: TaskRunOptions): ControllerDefinition {
  const shared = { reads: new SharedReads(), nativeSidecars: new NativeSidecars() };
  return defineController<TaskRun, CachedTaskRun>({
    name: 'taskrun',
    queue: 'github.com.tektoncd.pipeline.pkg.reconciler.taskrun.Reconciler',
    kind: TaskRunKind,
    transform: options.transforms.taskRun,
    sources: [podsOf(options.transforms), limitRanges, owned(ResolutionRequest)],
    reconcile: (taskRun, context) => {
      if (!isManaged(taskRun)) return undefined;
      const services = { context, options, ...shared };
      return isWhole(taskRun) ? reconcile(taskRun, services) : stopSidecars(taskRun, services);
    },
    traceOf: (taskRun) => (isWhole(taskRun) ? taskRun.status?.spanContext : undefined),
    gone: (key) => options.metrics?.deleted(key),
  });
}

/** Follows upstream's order: record the start time, terminate the run or advance it, then write the status. */
async function reconcile(taskRun: TaskRun, services: TaskRunServices): Promise<Result | undefined> {
  const observation = observe(taskRun, services);
  const draft = start(observation);
  const conclusion = stop(observation, draft) ?? (await advance(observation, draft, services));
  const plan = conclude(observation, conclusion);
  await act(plan, services, observation.now);
  return plan.requeueMs === undefined ? undefined : requeueAfter(plan.requeueMs);
}

import { formatTime } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { TaskRunStatus } from '../kinds/task-run-spec.ts';
import { outcomeOf } from '../status/pod-outcome.ts';
import { taskResults } from '../status/results.ts';
import { sidecarStates, stepReports, stepState } from '../status/step-states.ts';
import { withOutcome } from './life.ts';

/** The status of a run, as its Pod stands now. Results are told at the end, also at a bad one. */
export function statusFromPod(
  status: TaskRunStatus,
  pod: Pod,
  flags: FeatureFlags,
  ignoresFailure: boolean,
  now: number,
): TaskRunStatus {
  const outcome = outcomeOf(pod, flags, ignoresFailure);
  const reports = stepReports(pod);
  const before = new Map((status.steps ?? []).map((step) => [step.container ?? step.name, step]));
  const steps = reports.map((report) => {
    const { name } = report.status;
    return stepState(report, before.get(name) ?? before.get(name.slice('step-'.length)));
  });
  const sidecars = sidecarStates(pod);
  const isOver = outcome.status !== 'Unknown';
  const results = isOver
    ? taskResults(
        reports.flatMap(({ entries }) => entries),
        status.taskSpec?.results ?? [],
      )
    : [];
  const next: TaskRunStatus = {
    ...status,
    ...(steps.length > 0 ? { steps } : {}),
    ...(sidecars.length > 0 ? { sidecars } : {}),
    ...(isOver ? { completionTime: formatTime(now), artifacts: {} } : {}),
    ...(results.length > 0 ? { results } : {}),
  };
  return withOutcome(next, outcome, now);
}

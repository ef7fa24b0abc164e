import { formatTime } from '@tektite/meta';

import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { Artifacts, RunResult } from '../../../kinds/run-status.ts';
import type { StepState, TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { stepPrefix } from '../../../pod/container-names.ts';
import { artifactsOf, mergeArtifacts } from '../../../status/artifacts.ts';
import { isComplete, outcomeOf } from '../../../status/pod-outcome.ts';
import { resultsOf, taskResultsOfStep, uniqueResults } from '../../../status/results.ts';
import { stepEntriesOf } from '../../../status/results-log.ts';
import { sidecarStates, type StepReport, stepReports, stepState } from '../../../status/step-states.ts';
import { entryTypes, type TerminationEntry } from '../../../status/termination-message.ts';
import { withOutcome } from '../../../conditions/succeeded-condition.ts';

export interface PodFacts {
  readonly pod: CachedPod;
  readonly flags: FeatureFlags;
  /** The Task as it was resolved: what results it and its steps have. */
  readonly task: TaskSpec;
  /** The output of the results sidecar, where results come that way. */
  readonly log: readonly TerminationEntry[];
  /** Whether the Pipeline goes on when the run fails. */
  readonly ignoresFailure: boolean;
  readonly now: number;
}

/** The status of a run, from its Pod. Results are reported at the end, also after a failure. */
export function statusFromPod(status: TaskRunStatus, facts: PodFacts): TaskRunStatus {
  const { pod, flags, now, ignoresFailure } = facts;
  const outcome = outcomeOf(pod, flags, ignoresFailure);
  const isOver = outcome.status !== 'Unknown';
  const findings = stepReports(pod).map((report) => findingOf(report, facts));
  const before = new Map((status.steps ?? []).map((step) => [step.name, step]));
  const steps = findings.map((finding) => withFindings(finding, before, isOver));
  const sidecars = sidecarStates(pod);
  const results = isOver ? allResults(findings, facts) : [];
  const { sidecars: _, ...rest } = status;
  const next: TaskRunStatus = {
    ...rest,
    podName: pod.metadata.name ?? '',
    ...(steps.length > 0 ? { steps } : {}),
    ...(sidecars.length > 0 ? { sidecars } : {}),
    // A Pod that waits for something that it will never get has not ended.
    ...(isComplete(pod, flags) ? { completionTime: formatTime(now) } : {}),
    ...(isOver ? { artifacts: allArtifacts(findings, facts.log) } : {}),
    ...(results.length > 0 ? { results } : {}),
  };
  return withOutcome(next, outcome, now);
}

/** The facts of a step besides its container. */
interface StepFinding {
  readonly report: StepReport;
  readonly results: readonly RunResult[];
  readonly taskResults: readonly RunResult[];
  readonly artifacts: Artifacts;
}

function findingOf(report: StepReport, { task, log }: PodFacts): StepFinding {
  const { name } = report.status;
  const { results: declared = [], steps = [] } = task;
  // Those of a step without a name are not found, and so their types are not known.
  const own = steps.find((step) => `${stepPrefix}${step.name}` === name)?.results ?? [];
  const entries = [...stepEntriesOf(log, name), ...report.entries];
  const results = resultsOf(entries, entryTypes.stepResult, own);
  return {
    report,
    results,
    taskResults: taskResultsOfStep(name, results, declared),
    artifacts: artifactsOf(entries.toReversed(), entryTypes.stepArtifacts),
  };
}

function withFindings(
  { report, results, artifacts }: StepFinding,
  before: ReadonlyMap<string | undefined, StepState>,
  isOver: boolean,
): StepState {
  const state = stepState(report, before);
  return {
    ...state,
    ...(isOver && results.length > 0 ? { results } : {}),
    ...(artifacts.inputs ? { inputs: artifacts.inputs } : {}),
    ...(artifacts.outputs ? { outputs: artifacts.outputs } : {}),
  };
}

function allResults(findings: readonly StepFinding[], { task, log }: PodFacts): readonly RunResult[] {
  const declared = task.results ?? [];
  const ofSteps = findings.flatMap(({ report, taskResults }) => [
    ...resultsOf(report.entries, entryTypes.taskResult, declared),
    ...taskResults,
  ]);
  return uniqueResults([...resultsOf(log, entryTypes.taskResult, declared), ...ofSteps]);
}

/** Those of the Task and of all steps. */
function allArtifacts(findings: readonly StepFinding[], log: readonly TerminationEntry[]): Artifacts {
  let all = artifactsOf(log, entryTypes.taskArtifacts);
  for (const { report, artifacts } of findings) {
    if (report.entries.length === 0) continue;
    all = mergeArtifacts(mergeArtifacts(all, artifactsOf(report.entries, entryTypes.taskArtifacts)), artifacts);
  }
  return all;
}

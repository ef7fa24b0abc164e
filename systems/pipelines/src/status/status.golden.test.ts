import { equalJson } from '@tektite/meta';
import type { ContainerStatus, Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { goldenCases, hasGolden } from '../test-support.ts';
import { outcomeOf } from './pod-outcome.ts';
import { resultsOf, uniqueResults } from './results.ts';
import { stepReports, stepState } from './step-states.ts';
import { entryTypes } from './termination-message.ts';

interface Recorded {
  readonly name: string;
  readonly state: string;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** Recordings have less of a Pod's status than a node writes. */
function containerStatus({ name, state, exitCode, reason, message }: Recorded): ContainerStatus {
  const detail = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
  return { name, state: { [state]: detail }, imageID: '{imageID}' } as unknown as ContainerStatus;
}

interface Case {
  readonly name: string;
  readonly flags: FeatureFlags;
  readonly taskRun: TaskRun;
  readonly pod: Pod;
}

/** Decided by something else than the Pod. */
const otherReasons = /Cancelled|Timeout|Validation|Resolution|ImagePull|Retried|LargerThan/;

function* cases(): Generator<Case> {
  for (const { name, flags, objects, taskRuns } of goldenCases()) {
    for (const taskRun of taskRuns) {
      const pod = objects[`Pod/${taskRun.status?.podName}`] as Pod | undefined;
      if (!pod || otherReasons.test(taskRun.status?.conditions?.[0]?.reason ?? '')) continue;
      // Sidecars are recorded as they were after the end, when they had been stopped; Pods that wait, without what holds them.
      const hasSidecars = pod.spec?.containers?.some((container) => container.name.startsWith('sidecar'));
      if (hasSidecars || pod.status?.phase === 'Pending') continue;
      const { containers = [], initContainers = [], ...status } = pod.status as unknown as Record<string, Recorded[]>;
      const whole = {
        ...pod,
        status: {
          ...status,
          containerStatuses: containers.map(containerStatus),
          initContainerStatuses: initContainers.map(containerStatus),
        },
      } as unknown as Pod;
      yield { name: `${name} ${taskRun.metadata.name}`, flags, taskRun, pod: whole };
    }
  }
}

/** The comparable part: no times, no identities. */
function essence(steps: readonly object[]): unknown {
  return steps.map((step) => {
    const { name, container, terminated, terminationReason } = step as Record<string, Record<string, unknown>>;
    const { exitCode, reason, message } = terminated ?? {};
    return { name, container, exitCode, reason, message, terminationReason };
  });
}

describe.skipIf(!hasGolden)('the status of a TaskRun is the one that Tekton writes', () => {
  it('in every recorded case that its Pod decides', () => {
    let total = 0;
    const different: string[] = [];
    for (const { name, flags, taskRun, pod } of cases()) {
      const reports = stepReports(pod);
      const [condition] = taskRun.status?.conditions ?? [];
      const fromLogs = flags.resultExtractionMethod === 'sidecar-logs';
      const ignores = taskRun.metadata.annotations?.['pipeline.tekton.dev/pipeline-task-on-error'] === 'continue';
      const outcome = outcomeOf(pod, flags, ignores);
      const declared = taskRun.status?.taskSpec?.results ?? [];
      const entries = reports.flatMap((report) => report.entries);
      const results = uniqueResults(resultsOf(entries, entryTypes.taskResult, declared));
      const parts: readonly (readonly [string, unknown, unknown])[] = [
        ['condition', outcome, { status: condition?.status, reason: condition?.reason, message: condition?.message }],
        ['steps', essence(reports.map((report) => stepState(report, new Map()))), essence(taskRun.status?.steps ?? [])],
        ...(fromLogs || declared.some(({ value }) => value !== undefined)
          ? []
          : [['results', sorted(results), sorted(taskRun.status?.results ?? [])] as const]),
      ];
      for (const [part, ours, theirs] of parts) {
        total++;
        if (!equalJson(ours, theirs))
          different.push(`${name} ${part}: ${JSON.stringify(ours)} / ${JSON.stringify(theirs)}`);
      }
    }
    expect(total).toBeGreaterThan(500);
    expect(different).toEqual([]);
  });
});

function sorted(results: readonly { readonly name: string }[]): unknown {
  return results.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

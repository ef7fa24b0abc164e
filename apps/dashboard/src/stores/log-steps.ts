import type { StepState, TaskRun } from '@tektite/pipelines/runs';
import { type RunNode, taskRunNode, visibleText } from '../run/index.ts';
import type { LogStep } from './log-store.ts';

interface NamedValue {
  readonly name?: string;
  readonly value?: unknown;
}

type KeptStep = StepState & { readonly results?: readonly NamedValue[] };

const logAnnotation = 'results.tekton.dev/log';

/**
 * The steps of a TaskRun that have a log: those of its earlier attempts, closed, and those of the last, which the archive may have. Of an
 * archived run the Pods are not asked: a later run of the same name has Pods of the same names.
 */
export function logSteps(run: TaskRun, node: RunNode, isArchived = false): readonly LogStep[] {
  const log = run.metadata.annotations?.[logAnnotation];
  const earlier = (run.status?.retriesStatus ?? []) as readonly NonNullable<TaskRun['status']>[];
  return [
    ...earlier.flatMap((status, index) => {
      const attempt = { ...run, status };
      return attemptSteps(attempt, taskRunNode(attempt), ` (attempt ${index + 1})`).map((step) => ({
        ...step,
        isArchived,
      }));
    }),
    ...attemptSteps(run, node, '').map((step) => ({ ...step, ...(log ? { archived: log } : {}), isArchived })),
  ];
}

function attemptSteps(run: TaskRun, node: RunNode, suffix: string): readonly LogStep[] {
  const { podName: pod, steps = [], results = [] } = run.status ?? {};
  if (!pod) return [];
  const states = new Map(node.children.map((step) => [step.name, step.state]));
  const started = (steps as readonly KeptStep[]).filter(
    ({ name = '', terminated }) => terminated || states.get(name) === 'running',
  );
  return started.map((step, index) => {
    const { name = '', container = `step-${name}`, terminated } = step;
    // Results of the task stand at its end.
    const isLast = index === started.length - 1;
    return {
      id: `${name}${suffix}`,
      namespace: run.metadata.namespace ?? '',
      pod,
      container,
      isRunning: !terminated,
      state: states.get(name) ?? 'waiting',
      isFolded: suffix !== '',
      kept: [...keptOf(step), ...(isLast ? resultLines(results as readonly NamedValue[]) : [])],
    };
  });
}

/** The end of a step, and its message: what failed, or results as the entrypoint wrote them. */
function keptOf({ terminated, terminationReason, results = [] }: KeptStep): readonly string[] {
  if (!terminated) return [];
  const { exitCode, reason, finishedAt, message = '' } = terminated;
  return [
    `exit code ${exitCode}${terminationReason || reason ? `, ${terminationReason || reason}` : ''}${finishedAt ? `, at ${finishedAt}` : ''}`,
    ...message
      .split('\n')
      .filter(Boolean)
      .map((line) => `message: ${visibleText(line)}`),
    ...resultLines(results),
  ];
}

function resultLines(results: readonly NamedValue[]): readonly string[] {
  return results.map(
    ({ name = '', value }) =>
      `result ${name}: ${visibleText(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
}

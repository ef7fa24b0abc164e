import type { RunCondition, StepState, TaskRun } from '@tektite/pipelines/runs';
import type { RunNode, RunState, Span } from './run-node.ts';
import { fitTree } from './run-spans.ts';

/** The span of a status, if it has started. */
export function spanOf(began: string | undefined, ended: string | undefined): { readonly recorded?: Span } {
  if (!began) return {};
  return { recorded: { began: Date.parse(began), ...(ended ? { ended: Date.parse(ended) } : {}) } };
}

/** How a run goes, by its condition. */
export function stateOf(condition: RunCondition | undefined): RunState {
  if (!condition) return 'waiting';
  if (condition.status === 'True') return 'succeeded';
  if (condition.status === 'Unknown') return 'running';
  return /Cancel/.test(condition.reason ?? '') ? 'cancelled' : 'failed';
}

export function conditionOf(run: { readonly status?: { readonly conditions?: readonly RunCondition[] } }) {
  return run.status?.conditions?.find(({ type }) => type === 'Succeeded');
}

/** The reason of a run that failed. */
export function failureNote(condition: RunCondition | undefined): string | undefined {
  if (condition?.status !== 'False') return undefined;
  return condition.message || condition.reason;
}

/** A TaskRun and its steps. */
export function taskRunNode(run: TaskRun, name: string = run.metadata.name ?? ''): RunNode {
  const { status } = run;
  const condition = conditionOf(run);
  const state = stateOf(condition);
  const id = `TaskRun/${run.metadata.name}`;
  const attempt = status?.retriesStatus?.length ?? 0;
  const children = stepNodes(id, run, state);
  const reason = failureNote(condition) ?? waitNote(run, state);
  const notes = [attempt > 0 ? `attempt ${attempt + 1}` : undefined, isOfStep(reason, children) ? undefined : reason];
  const note = notes.filter((each) => each !== undefined).join(', ');
  const times = spanOf(status?.startTime, status?.completionTime);
  return fitTree({ id, name, state, ...(note ? { note } : {}), ...times, children });
}

/** `"step-build" exited with code 3: Error` repeats what the step itself shows. */
function isOfStep(reason: string | undefined, steps: readonly RunNode[]): boolean {
  return /^"step-[^"]*" exited with code \d+/.test(reason ?? '') && steps.some(({ state }) => state === 'failed');
}

/** Before there is a Pod with containers, the condition has the reason. */
function waitNote(run: TaskRun, state: RunState): string | undefined {
  if (state !== 'running' || (run.status?.steps ?? []).some(({ running, terminated }) => running || terminated))
    return undefined;
  const message = conditionOf(run)?.message;
  const [, reason] = /^pod status "\w+":"\w+"; message: "(.*)"$/s.exec(message ?? '') ?? [];
  const isUsual = reason === '' || /^containers with (?:incomplete|unready) status/.test(reason ?? '');
  return isUsual ? 'starting' : (reason ?? message);
}

/**
 * Every step is a process from the beginning, and waits for the one before it: of those that run, only the first does
 * anything.
 */
function stepNodes(id: string, run: TaskRun, state: RunState): readonly RunNode[] {
  const states = new Map((run.status?.steps ?? []).map((step) => [step.name, step]));
  const named = run.status?.taskSpec?.steps?.map(({ name }, index) => name || `unnamed-${index}`) ?? [];
  let active = false;
  let isCut = false;
  return (named.length > 0 ? named : [...states.keys()]).map((name = '') => {
    const step = states.get(name);
    const waits = active || !step?.running || state !== 'running';
    if (!waits) active = true;
    const { terminated, running } = step ?? {};
    const times = spanOf(terminated?.startedAt ?? running?.startedAt, terminated?.finishedAt);
    const node = { id: `${id}/${name}`, name, children: [], ...times };
    // A cancelled run kills all its processes: the first of them worked, the others still waited for it.
    if (state === 'cancelled' && terminated && terminated.exitCode !== 0) {
      const killed = isCut ? 'skipped' : 'cancelled';
      isCut = true;
      return { ...node, state: killed };
    }
    return { ...node, ...stepState(step, waits, state) };
  });
}

function stepState(step: StepState | undefined, waits: boolean, run: RunState): Pick<RunNode, 'state' | 'note'> {
  const over = run !== 'running' && run !== 'waiting';
  if (!step?.terminated) return { state: waits ? (over ? 'skipped' : 'waiting') : 'running' };
  const { exitCode } = step.terminated;
  const { terminationReason: reason } = step;
  if (reason === 'Skipped') return { state: 'skipped' };
  if (reason === 'Continued') return { state: 'failed', note: `exit code ${exitCode}, ignored` };
  if (exitCode === 0) return { state: 'succeeded' };
  return {
    state: 'failed',
    note: reason && reason !== 'Error' ? `${reason}, exit code ${exitCode}` : `exit code ${exitCode}`,
  };
}

import { expect, it } from 'vitest';
import { RunFailure, RunWaits } from '../../conditions/run-failure.ts';
import { succeededCondition } from '../../conditions/succeeded-condition.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import { fail, start, stop } from './decide.ts';
import { conclude } from './decide/plan.ts';
import type { TaskRunObservation } from './decide/observation.ts';

const created = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;

function observed(spec: Partial<TaskRun['spec']> = {}, changes: Partial<TaskRunObservation> = {}): TaskRunObservation {
  const taskRun: TaskRun = {
    apiVersion: 'tekton.dev/v1',
    kind: 'TaskRun',
    metadata: { namespace: 'ns', name: 'tr', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { serviceAccountName: 'default', timeout: '1h0m0s', ...spec },
  };
  return {
    taskRun,
    pod: undefined,
    flags: defaultFeatureFlags,
    defaults: standardDefaults,
    release: 'v1',
    now: created,
    ...changes,
  };
}

const decided = (observation: TaskRunObservation) => {
  const draft = start(observation);
  return { draft, conclusion: stop(observation, draft) };
};

it('starts a run at its creation, and lets it advance', () => {
  const { draft, conclusion } = decided(observed());
  expect(draft.status.startTime).toBe('2026-01-01T00:00:00Z');
  expect(conclusion).toBeUndefined();
});

it('gives a pending run no start time', () => {
  const { draft, conclusion } = decided(observed({ status: 'TaskRunPending' }));
  expect(draft.status.startTime).toBeUndefined();
  expect(succeededCondition(conclusion?.draft.status)?.reason).toBe('TaskRunPending');
});

it('deletes the Pod of a cancelled run, or stops its steps where Pods are kept', () => {
  const running = observed({ status: 'TaskRunCancelled' });
  const withPod = { ...running, taskRun: { ...running.taskRun, status: { podName: 'tr-pod' } } };
  expect(decided(withPod).conclusion?.pod).toEqual({ change: 'delete', name: 'tr-pod' });
  const keeping = { ...withPod, flags: { ...defaultFeatureFlags, enableKeepPodOnCancel: true } };
  expect(decided(keeping).conclusion?.pod).toEqual({ change: 'cancel', name: 'tr-pod' });
});

it('requeues a running run at its timeout, and terminates it then', () => {
  const young = observed();
  expect(conclude(young, { draft: start(young) }).requeueMs).toBe(60 * minute);
  const running = { ...young.taskRun, status: start(young).status };
  const old = { ...young, taskRun: running, now: created + 60 * minute };
  const { conclusion } = decided(old);
  expect(succeededCondition(conclusion?.draft.status)).toMatchObject({ status: 'False', reason: 'TaskRunTimeout' });
  expect(conclude(old, conclusion ?? { draft: start(old) })).toMatchObject({ isCompletion: true });
});

it('retries a failed run with retries left, and keeps the failed attempt', () => {
  const observation = observed({ retries: 1 });
  const failed = fail(start(observation), new RunFailure('PodCreationFailed', 'no'), observation.now);
  const plan = conclude(observation, failed);
  expect(plan.condition).toMatchObject({ status: 'Unknown', reason: 'ToBeRetried', message: 'no' });
  expect(plan.status.retriesStatus).toHaveLength(1);
  expect(plan.isCompletion).toBe(false);
});

it('reports a wait in the condition and requeues the run', () => {
  const observation = observed();
  const waiting = fail(start(observation), new RunWaits('ResolvingTaskRef', 'awaiting'), observation.now);
  expect(conclude(observation, waiting)).toMatchObject({
    condition: { status: 'Unknown', reason: 'ResolvingTaskRef', message: 'awaiting' },
    requeueMs: 1000,
  });
});

it('rethrows transient errors', () => {
  expect(() => fail(start(observed()), new Error('connection reset'), created)).toThrow('connection reset');
});

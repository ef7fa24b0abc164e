import { expect, it } from 'vitest';
import { RunFailure, RunWaits } from '../../conditions/run-failure.ts';
import { succeededCondition } from '../../conditions/succeeded-condition.ts';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import { cancelled, decideCourse, start } from './decide.ts';
import type { PipelineRunObservation } from './decide/observation.ts';
import { conclude, fail } from './decide/plan.ts';

const created = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;

function observed(
  spec: Partial<PipelineRunSpec> = {},
  changes: Partial<PipelineRunObservation> = {},
): PipelineRunObservation {
  return {
    run: {
      apiVersion: 'tekton.dev/v1',
      kind: 'PipelineRun',
      metadata: { namespace: 'ns', name: 'pr', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { pipelineRef: { name: 'p' }, timeouts: { pipeline: '1h0m0s' }, ...spec },
    },
    children: [],
    ancestors: [],
    flags: defaultFeatureFlags,
    defaults: standardDefaults,
    now: created,
    ...changes,
  };
}

const courseOf = (observation: PipelineRunObservation) => decideCourse(observation, start(observation));

it('starts a run, names its Pipeline, and lets it advance until its timeout', () => {
  const observation = observed();
  const started = start(observation);
  const { course, draft } = decideCourse(observation, started);
  expect(course).toBe('advance');
  expect(draft.metadata.labels).toEqual({ 'tekton.dev/pipeline': 'p' });
  const plan = conclude(observation, started, { draft });
  expect(plan.events.map(({ reason }) => reason)).toEqual(['Started']);
  expect(plan.requeueMs).toBe(hour + 1);
});

it('lets a pending run wait without a start time', () => {
  const { course, draft } = courseOf(observed({ status: 'PipelineRunPending' }));
  expect(course).toBe('wait');
  expect(draft.status.startTime).toBeUndefined();
});

it('lists children that a reconcile created which died before it wrote the status', () => {
  const children = [{ apiVersion: 'tekton.dev/v1', kind: 'TaskRun', name: 'pr-a', pipelineTaskName: 'a' }];
  expect(start(observed({}, { children })).status.childReferences).toEqual(children);
});

it('times out a run that was not reconciled for twice its timeout', () => {
  const young = observed();
  const run = { ...young.run, status: start(young).status };
  expect(courseOf({ ...young, run, now: created + 2 * hour - 1 }).course).toBe('advance');
  expect(courseOf({ ...young, run, now: created + 2 * hour }).course).toBe('time out');
});

it('completes a cancelled run only when all its children are cancelled', () => {
  const draft = start(observed({ status: 'Cancelled' }));
  expect(succeededCondition(cancelled(draft, [], created).draft.status)).toMatchObject({ reason: 'Cancelled' });
  const { draft: left, error } = cancelled(draft, ['failed to patch TaskRun'], created);
  expect(succeededCondition(left.status)).toMatchObject({ status: 'Unknown', reason: 'PipelineRunCouldntCancel' });
  expect(error?.message).toContain('failed to patch TaskRun');
});

it('turns a terminal error into the condition, a wait into a requeue, and keeps transient errors for the queue', () => {
  const observation = observed();
  const started = start(observation);
  const failed = fail(started, new RunFailure('CouldntGetPipeline', 'none', { cause: new Error('404') }), created);
  expect(conclude(observation, started, failed)).toMatchObject({
    isCompletion: true,
    events: [{ reason: 'Started' }, { reason: 'Failed' }, { reason: 'InternalError', message: '404' }],
  });
  const waiting = fail(started, new RunWaits('ResolvingPipelineRef', 'awaiting'), created);
  expect(conclude(observation, started, waiting).requeueMs).toBe(1000);
  const transient = new Error('connection reset');
  expect(fail(started, transient, created)).toEqual({ draft: started, transient });
});

import type { Pod } from '@tektite/schema/kubernetes';
import { beforeEach, describe, expect, it } from 'vitest';
import { metricsConfig } from '../config/metrics-config.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { TaskRunMetrics } from './task-run-metrics.ts';
import { WrittenMeter } from './test-support.ts';

let written: WrittenMeter;
const metricsWith = (settings: Record<string, string> = {}) =>
  new TaskRunMetrics(
    () => written.meter,
    () => metricsConfig.parse(settings),
  );

beforeEach(() => {
  written = new WrittenMeter();
});

const labels = { 'tekton.dev/pipeline': 'p', 'tekton.dev/pipelineRun': 'pr', 'tekton.dev/pipelineTask': 't' };
const alone = { metadata: { namespace: 'ns', name: 'tr' }, spec: { taskRef: { name: 'build' } } } as TaskRun;
const child = { metadata: { namespace: 'ns', name: 'pr-t', labels }, spec: { taskSpec: {} } } as unknown as TaskRun;
const status = { podName: 'p', startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:30Z' };
const succeeded = { type: 'Succeeded', status: 'True', reason: 'Succeeded' };

describe('a TaskRun that ended', () => {
  it('is counted, and its time taken', () => {
    metricsWith().completed(alone, status, succeeded, 0);
    expect(written.lines).toEqual([
      'taskrun_duration_seconds histogram 90 {"namespace":"ns","task":"build","status":"success"}',
      'taskrun_total counter 1 {"status":"success"}',
    ]);
  });

  it.each([
    ['TaskRunCancelled', 'cancelled'],
    ['TaskRunTimeout', 'failed'],
  ])('for %s is %s', (reason, outcome) => {
    metricsWith().completed(alone, status, { type: 'Succeeded', status: 'False', reason }, 0);
    expect(written.lines.at(-1)).toBe(`taskrun_total counter 1 {"status":"${outcome}"}`);
  });

  it('in a Pipeline has separate labels, as fine as the settings say', () => {
    const settings = {
      'metrics.taskrun.level': 'taskrun',
      'metrics.pipelinerun.level': 'pipelinerun',
      'metrics.taskrun.duration-type': 'lastvalue',
      'metrics.count.enable-reason': 'true',
    };
    metricsWith(settings).completed(child, status, succeeded, 0);
    expect(written.lines[0]).toBe(
      'pipelinerun_taskrun_duration_seconds gauge 90 {"namespace":"ns","task":"t","taskrun":"pr-t","status":"success","reason":"Succeeded","pipeline":"p","pipelinerun":"pr"}',
    );
  });
});

it('runs that go on are counted, those that wait for room apart', () => {
  const metrics = metricsWith({ 'metrics.taskrun.throttle.enable-namespace': 'true' });
  const unknown = (reason: string) => ({ type: 'Succeeded', status: 'Unknown', reason });
  metrics.reconciled('ns/a', alone, unknown('Running'));
  metrics.reconciled('ns/b', alone, unknown('ExceededNodeResources'));
  metrics.reconciled('ns/c', alone, unknown('ResolvingTaskRef'));
  metrics.reconciled('ns/d', alone, unknown('Running'));
  metrics.reconciled('ns/d', alone, succeeded);
  metrics.reconciled('ns/e', alone, unknown('Running'));
  metrics.deleted('ns/e');
  expect(written.observe()).toEqual([
    'running_taskruns now 3 {}',
    'running_taskruns_waiting_on_task_resolution_count now 1 {}',
    'running_taskruns_throttled_by_node now 1 {"namespace":"ns"}',
  ]);
});

it('the time that a Pod waits for a node is taken', () => {
  const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z' }];
  const pod = { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' }, status: { conditions } } as unknown as Pod;
  metricsWith({ 'metrics.taskrun.level': 'namespace' }).podStarted(pod, alone);
  expect(written.lines).toEqual(['taskruns_pod_latency_milliseconds histogram 2000 {"namespace":"ns"}']);
});

it('a level that there is not is refused', () => {
  expect(() => metricsConfig.parse({ 'metrics.taskrun.level': 'cluster' })).toThrow(
    'invalid config for TaskrunLevel: cluster',
  );
});

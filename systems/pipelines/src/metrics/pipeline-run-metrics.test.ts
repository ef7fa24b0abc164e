import { beforeEach, describe, expect, it } from 'vitest';
import { metricsConfig } from '../config/metrics-config.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import { PipelineRunMetrics } from './pipeline-run-metrics.ts';
import { WrittenMeter } from './test-support.ts';

let written: WrittenMeter;
const metricsWith = (settings: Record<string, string> = {}) =>
  new PipelineRunMetrics(
    () => written.meter,
    () => metricsConfig.parse(settings),
  );
beforeEach(() => {
  written = new WrittenMeter();
});

const runOf = (name: string, spec: object, metadata: object = {}) =>
  ({ metadata: { namespace: 'ns', name, ...metadata }, spec }) as PipelineRun;
const referring = runOf('pr', { pipelineRef: { name: 'build' } });
const embedded = runOf('own', { pipelineSpec: {} }, { labels: { 'tekton.dev/pipeline': 'own' } });
const status = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:30Z' };
const succeeded = { type: 'Succeeded', status: 'True', reason: 'Succeeded' };

describe('a PipelineRun that ended', () => {
  it('is counted, and its time taken', () => {
    metricsWith().completed(referring, status, succeeded, 0);
    expect(written.lines).toEqual([
      'pipelinerun_duration_seconds histogram 90 {"namespace":"ns","status":"success","pipeline":"build"}',
      'pipelinerun_total counter 1 {"status":"success"}',
    ]);
  });

  it.each([
    ['Cancelled', 'cancelled'],
    ['PipelineRunTimeout', 'failed'],
  ])('for %s is %s', (reason, outcome) => {
    metricsWith().completed(referring, status, { type: 'Succeeded', status: 'False', reason }, 0);
    expect(written.lines.at(-1)).toBe(`pipelinerun_total counter 1 {"status":"${outcome}"}`);
  });

  it('has labels as fine as the settings say', () => {
    const settings = {
      'metrics.pipelinerun.level': 'pipelinerun',
      'metrics.pipelinerun.duration-type': 'lastvalue',
      'metrics.count.enable-reason': 'true',
    };
    metricsWith(settings).completed(embedded, status, succeeded, 0);
    expect(written.lines[0]).toBe(
      'pipelinerun_duration_seconds gauge 90 {"namespace":"ns","status":"success","reason":"Succeeded","pipeline":"anonymous","pipelinerun":"own"}',
    );
    written.lines.length = 0;
    const generated = { ...embedded, metadata: { ...embedded.metadata, generateName: 'own-' } };
    metricsWith().completed(generated, status, succeeded, 0);
    expect(written.lines[0]).toContain('"pipeline":"own"');
    written.lines.length = 0;
    metricsWith({ 'metrics.pipelinerun.level': 'namespace' }).completed(referring, status, succeeded, 0);
    expect(written.lines[0]).toContain('90 {"namespace":"ns","status":"success"}');
  });
});

describe('PipelineRuns that go on', () => {
  const unknown = (reason: string) => ({ type: 'Succeeded', status: 'Unknown', reason });
  function observeWith(settings: Record<string, string>): readonly string[] {
    const metrics = metricsWith(settings);
    metrics.reconciled('ns/a', runOf('a', { pipelineRef: { name: 'build' } }), unknown('Running'));
    metrics.reconciled('ns/b', runOf('b', { pipelineRef: { name: 'build' } }), unknown('ResolvingTaskRef'));
    metrics.reconciled('ns/c', embedded, unknown('ResolvingPipelineRef'));
    metrics.reconciled('ns/d', referring, unknown('Running'));
    metrics.reconciled('ns/d', referring, succeeded);
    metrics.reconciled('ns/e', referring, unknown('Running'));
    metrics.deleted('ns/e');
    return written.observe();
  }

  it('are counted, those that wait for a resolver apart', () => {
    expect(observeWith({})).toEqual([
      'running_pipelineruns now 3 {}',
      'running_pipelineruns_waiting_on_pipeline_resolution now 1 {}',
      'running_pipelineruns_waiting_on_task_resolution now 1 {}',
    ]);
  });

  it('are counted by Pipeline where the settings say so, and as a whole', () => {
    expect(observeWith({ 'metrics.running-pipelinerun.level': 'pipeline' }).slice(0, 3)).toEqual([
      'running_pipelineruns now 2 {"pipeline":"build","namespace":"ns"}',
      'running_pipelineruns now 1 {"pipeline":"anonymous","namespace":"ns"}',
      'running_pipelineruns now 3 {}',
    ]);
  });
});

import type { Attributes, Counter, Histogram, Meter } from '@tektite/controller/observe';

import type { CachedPod } from '../cache/cache-transforms.ts';
import type { MetricsConfig } from '../config/metrics-config.ts';
import type { RunCondition } from '../kinds/run-status.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskRunStatus } from '../kinds/task-run-spec.ts';
import { type RunDuration, runDuration, runSeconds } from './run-duration.ts';
import { anonymous, latencyBuckets, metricName } from './metric-names.ts';

interface RunningTaskRun {
  readonly namespace: string;
  readonly reason: string;
}

/** Measures TaskRuns under upstream's names. The meter is requested with the first measurement. */
export class TaskRunMetrics {
  private readonly meter: () => Meter;
  private readonly config: () => MetricsConfig;
  private readonly running = new Map<string, RunningTaskRun>();
  private made: Instruments | undefined;

  constructor(meter: () => Meter, config: () => MetricsConfig) {
    this.meter = meter;
    this.config = config;
  }

  /** Records the current condition of a run. */
  reconciled(key: string, { metadata }: TaskRun, condition: RunCondition | undefined): void {
    this.instruments();
    if (condition?.status === 'Unknown')
      this.running.set(key, { namespace: metadata.namespace ?? '', reason: condition.reason ?? '' });
    else this.running.delete(key);
  }

  deleted(key: string): void {
    this.running.delete(key);
  }

  /** Records a run that completed. */
  completed(taskRun: TaskRun, status: TaskRunStatus, { status: how, reason = '' }: RunCondition, now: number): void {
    const { total, duration, durationInPipeline } = this.instruments();
    const { countsByReason, lastTaskRunDuration, pipelineRunLevel } = this.config();
    const outcome = how !== 'False' ? 'success' : reason === 'TaskRunCancelled' ? 'cancelled' : 'failed';
    const pipeline = pipelineOf(taskRun);
    const attributes: Attributes = {
      ...this.attributesOf(taskRun),
      status: outcome,
      ...(countsByReason ? { reason } : {}),
      ...(pipeline && pipelineRunLevel !== 'namespace' ? { pipeline: pipeline.name } : {}),
      ...(pipeline && pipelineRunLevel === 'pipelinerun' ? { pipelinerun: pipeline.run } : {}),
    };
    const { last, all } = pipeline ? durationInPipeline : duration;
    const seconds = runSeconds(status, now);
    if (lastTaskRunDuration) last().record(seconds, attributes);
    else all().record(seconds, attributes);
    total.add(1, { status: outcome });
  }

  /** Records the scheduling latency of a Pod that started. */
  podStarted(pod: CachedPod, taskRun: TaskRun): void {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime;
    const created = pod.metadata.creationTimestamp;
    if (!scheduled || !created) return;
    this.instruments().latency.record(Date.parse(scheduled) - Date.parse(created), this.attributesOf(taskRun));
  }

  private attributesOf(taskRun: TaskRun): Attributes {
    const { namespace = '', name = '' } = taskRun.metadata;
    const { taskRunLevel } = this.config();
    return {
      namespace,
      ...(taskRunLevel === 'namespace' ? {} : { task: taskNameOf(taskRun) }),
      ...(taskRunLevel === 'taskrun' ? { taskrun: name } : {}),
    };
  }

  private instruments(): Instruments {
    this.made ??= makeInstruments(this.meter(), this.running, this.config);
    return this.made;
  }
}

interface Instruments {
  readonly total: Counter;
  readonly duration: RunDuration;
  readonly durationInPipeline: RunDuration;
  readonly latency: Histogram;
}

function makeInstruments(
  meter: Meter,
  running: ReadonlyMap<string, RunningTaskRun>,
  config: () => MetricsConfig,
): Instruments {
  observeRunning(meter, running, config);
  return {
    total: meter.createCounter(metricName('taskrun_total'), { description: 'Number of taskruns' }),
    duration: runDuration(meter, 'taskrun_duration_seconds', "The taskrun's execution time in seconds"),
    durationInPipeline: runDuration(
      meter,
      'pipelinerun_taskrun_duration_seconds',
      "The pipelinerun's taskrun execution time in seconds",
    ),
    latency: meter.createHistogram(metricName('taskruns_pod_latency_milliseconds'), {
      description: 'scheduling latency for the taskrun pods',
      unit: 'ms',
      advice: { explicitBucketBoundaries: [...latencyBuckets] },
    }),
  };
}

function observeRunning(meter: Meter, running: ReadonlyMap<string, RunningTaskRun>, config: () => MetricsConfig): void {
  const gauge = (name: string, description: string) => meter.createObservableGauge(metricName(name), { description });
  const count = (reason: string) => [...running.values()].filter((run) => run.reason === reason);
  gauge('running_taskruns', 'Number of taskruns executing currently').addCallback((result) =>
    result.observe(running.size),
  );
  gauge(
    'running_taskruns_waiting_on_task_resolution_count',
    'Number of taskruns executing currently that are waiting on resolution requests for their task references.',
  ).addCallback((result) => result.observe(count('ResolvingTaskRef').length));
  const throttled = (name: string, reason: string, description: string) =>
    gauge(name, description).addCallback((result) => {
      for (const [namespace, runs] of groups(count(reason), config().throttledByNamespace))
        result.observe(runs, namespace === '' ? {} : { namespace });
    });
  throttled(
    'running_taskruns_throttled_by_quota',
    'ExceededResourceQuota',
    'Number of taskruns executing currently, but whose underlying Pods or Containers are suspended by k8s because of defined ResourceQuotas.',
  );
  throttled(
    'running_taskruns_throttled_by_node',
    'ExceededNodeResources',
    'Number of taskruns executing currently, but whose underlying Pods or Containers are suspended by k8s because of Node level constraints.',
  );
}

function groups(runs: readonly RunningTaskRun[], byNamespace: boolean): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { namespace } of runs) {
    const group = byNamespace ? namespace : '';
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

function taskNameOf({ metadata: { labels = {} }, spec }: TaskRun): string {
  if (spec.taskRef?.name) return spec.taskRef.name;
  return labels[spec.taskSpec ? 'tekton.dev/pipelineTask' : 'tekton.dev/task'] ?? anonymous;
}

function pipelineOf({ metadata: { labels = {} } }: TaskRun): { name: string; run: string } | undefined {
  const { 'tekton.dev/pipeline': name, 'tekton.dev/pipelineRun': run } = labels;
  if (name === undefined || run === undefined) return undefined;
  return { name: name === run ? anonymous : name, run };
}

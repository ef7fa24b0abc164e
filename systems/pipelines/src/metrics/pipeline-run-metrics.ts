import type { Attributes, Counter, Meter } from '@tektite/controller/observe';
import type { MetricsConfig } from '../config/metrics-config.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { PipelineRunStatus } from '../kinds/pipeline-run-spec.ts';
import type { RunCondition } from '../kinds/run-status.ts';
import { anonymous, metricName } from './metric-names.ts';
import { type RunDuration, runDuration, runSeconds } from './run-duration.ts';

interface RunningPipelineRun {
  readonly namespace: string;
  readonly name: string;
  readonly pipeline: string;
  readonly reason: string;
}

interface Instruments {
  readonly total: Counter;
  readonly duration: RunDuration;
}

/** Measures PipelineRuns under upstream's names. The meter is requested with the first measurement. */
export class PipelineRunMetrics {
  private readonly meter: () => Meter;
  private readonly config: () => MetricsConfig;
  private readonly running = new Map<string, RunningPipelineRun>();
  private made: Instruments | undefined;

  constructor(meter: () => Meter, config: () => MetricsConfig) {
    this.meter = meter;
    this.config = config;
  }

  /** Records the current condition of a run. */
  reconciled(key: string, run: PipelineRun, condition: RunCondition | undefined): void {
    this.instruments();
    if (condition?.status !== 'Unknown') return void this.running.delete(key);
    const { namespace = '', name = '' } = run.metadata;
    this.running.set(key, { namespace, name, pipeline: pipelineNameOf(run), reason: condition.reason ?? '' });
  }

  deleted(key: string): void {
    this.running.delete(key);
  }

  /** Records a run that completed. */
  completed(
    run: PipelineRun,
    status: PipelineRunStatus,
    { status: how, reason = '' }: RunCondition,
    now: number,
  ): void {
    const { total, duration } = this.instruments();
    const { countsByReason, lastPipelineRunDuration, pipelineRunLevel: level } = this.config();
    const outcome = how !== 'False' ? 'success' : reason === 'Cancelled' ? 'cancelled' : 'failed';
    const { namespace = '', name = '' } = run.metadata;
    const attributes: Attributes = {
      namespace,
      status: outcome,
      ...(countsByReason ? { reason } : {}),
      ...(level === 'namespace' ? {} : { pipeline: pipelineNameOf(run) }),
      ...(level === 'pipelinerun' ? { pipelinerun: name } : {}),
    };
    const seconds = runSeconds(status, now);
    if (lastPipelineRunDuration) duration.last().record(seconds, attributes);
    else duration.all().record(seconds, attributes);
    total.add(1, { status: outcome });
  }

  private instruments(): Instruments {
    if (this.made) return this.made;
    const meter = this.meter();
    observeRunning(meter, this.running, this.config);
    this.made = {
      total: meter.createCounter(metricName('pipelinerun_total'), { description: 'Number of pipelineruns' }),
      duration: runDuration(meter, 'pipelinerun_duration_seconds', 'The pipelinerun execution time in seconds'),
    };
    return this.made;
  }
}

function observeRunning(
  meter: Meter,
  running: ReadonlyMap<string, RunningPipelineRun>,
  config: () => MetricsConfig,
): void {
  const gauge = (name: string, description: string) => meter.createObservableGauge(metricName(name), { description });
  gauge('running_pipelineruns', 'Number of pipelineruns executing currently').addCallback((result) => {
    for (const { count, attributes } of groups(running.values(), config().runningPipelineRunLevel))
      result.observe(count, attributes);
    // The sum of all groups has no attributes.
    result.observe(running.size);
  });
  const waiting = (name: string, reason: string, references: string) =>
    gauge(
      name,
      `Number of pipelineruns executing currently that are waiting on resolution requests for ${references}.`,
    ).addCallback((result) => result.observe([...running.values()].filter((run) => run.reason === reason).length));
  waiting('running_pipelineruns_waiting_on_pipeline_resolution', 'ResolvingPipelineRef', 'their pipeline references');
  waiting(
    'running_pipelineruns_waiting_on_task_resolution',
    'ResolvingTaskRef',
    'the task references of their taskrun children',
  );
}

function groups(
  runs: Iterable<RunningPipelineRun>,
  level: MetricsConfig['runningPipelineRunLevel'],
): Iterable<{ readonly count: number; readonly attributes: Attributes }> {
  if (level === '') return [];
  const found = new Map<string, { count: number; readonly attributes: Attributes }>();
  for (const { namespace, name, pipeline } of runs) {
    const attributes = {
      ...(level === 'pipelinerun' ? { pipelinerun: name } : {}),
      ...(level === 'namespace' ? {} : { pipeline }),
      namespace,
    };
    const key = JSON.stringify(attributes);
    const group = found.get(key);
    if (group) group.count++;
    else found.set(key, { count: 1, attributes });
  }
  return found.values();
}

/** The Pipeline that is referred to. One in the run itself has no name, unless the run was generated from one. */
function pipelineNameOf({ metadata, spec }: PipelineRun): string {
  if (spec.pipelineRef?.name) return spec.pipelineRef.name;
  if (spec.pipelineSpec && !metadata.generateName) return anonymous;
  return metadata.labels?.['tekton.dev/pipeline'] || anonymous;
}

import type { Gauge, Histogram, Meter } from '@tektite/controller/observe';
import { durationBuckets, metricName } from './metric-names.ts';

/** How long runs took: each one, or the last one alone. */
export interface RunDuration {
  readonly last: () => Gauge;
  readonly all: () => Histogram;
}

/** Two kinds of one name: which is made, the settings say when there is something to record. */
export function runDuration(meter: Meter, name: string, description: string): RunDuration {
  let last: Gauge | undefined;
  let all: Histogram | undefined;
  const advice = { explicitBucketBoundaries: [...durationBuckets] };
  return {
    last: () => (last ??= meter.createGauge(metricName(name), { description, unit: 's' })),
    all: () => (all ??= meter.createHistogram(metricName(name), { description, unit: 's', advice })),
  };
}

interface RunTimes {
  readonly startTime?: string;
  readonly completionTime?: string;
}

/** Zero for a run that never started. */
export function runSeconds({ startTime, completionTime }: RunTimes, now: number): number {
  if (!startTime) return 0;
  return ((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime)) / 1000;
}

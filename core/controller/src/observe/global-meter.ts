import { type Meter, metrics } from '@opentelemetry/api';

/**
 * The meter of that name that this process measures with; one that does nothing where nothing is set up. Ask for it when there
 * is something to measure, not before: what is set up later does not reach meters that were given out.
 */
export function globalMeter(name: string): Meter {
  return metrics.getMeter(name);
}

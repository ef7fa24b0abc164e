import type { Attributes, Meter } from '@opentelemetry/api';
import type { InformerHealth } from '../cache/informer-health.ts';
import type { InformerSet } from '../cache/informer-set.ts';
import type { QueueGauges } from '../queue/queue-metrics.ts';
import type { ReconcileMetrics } from '../reconcile/reconcile-metrics.ts';

/** From a millisecond to a minute, as upstream's queues have it. */
const seconds = { advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] }, unit: 's' };

/**
 * Measures controllers with OpenTelemetry. The names are those of client-go and controller-runtime, so that dashboards
 * made for those show ours. Costs nothing to speak of when no SDK is installed.
 *
 * @example
 * const manager = new Manager(client, { metrics: controllerMetrics(metrics.getMeter('tektite')) });
 */
export function controllerMetrics(meter: Meter): ReconcileMetrics {
  const adds = meter.createCounter('workqueue_adds_total', { description: 'Keys that were added to a queue' });
  const retries = meter.createCounter('workqueue_retries_total', {
    description: 'Keys that were put off after a failure',
  });
  const waits = meter.createHistogram('workqueue_queue_duration_seconds', {
    description: 'How long keys wait in a queue',
    ...seconds,
  });
  const works = meter.createHistogram('workqueue_work_duration_seconds', {
    description: 'How long the work on a key takes',
    ...seconds,
  });
  const reconciles = meter.createCounter('controller_runtime_reconcile_total', {
    description: 'Reconciles by how they ended',
  });
  const times = meter.createHistogram('controller_runtime_reconcile_time_seconds', {
    description: 'How long a reconcile takes',
    ...seconds,
  });
  const active = meter.createGauge('controller_runtime_active_workers', { description: 'Reconciles that run' });
  const queues = new Map<string, () => QueueGauges>();
  observeQueues(meter, queues);
  return {
    queue(controller) {
      const name: Attributes = { name: controller };
      return {
        added: () => adds.add(1, name),
        waited: (ms) => waits.record(ms / 1000, name),
        worked: (ms) => works.record(ms / 1000, name),
        retried: () => retries.add(1, name),
        observe: (gauges) => void queues.set(controller, gauges),
      };
    },
    reconciled(controller, result, ms) {
      reconciles.add(1, { controller, result });
      times.record(ms / 1000, { controller });
    },
    running: (controller, count) => active.record(count, { controller }),
  };
}

function observeQueues(meter: Meter, queues: ReadonlyMap<string, () => QueueGauges>): void {
  const gauge = (name: string, description: string, read: (gauges: QueueGauges) => number) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      for (const [controller, gauges] of queues) result.observe(read(gauges()), { name: controller });
    });
  gauge('workqueue_depth', 'Keys that wait in a queue', ({ depth }) => depth);
  gauge(
    'workqueue_longest_running_processor_seconds',
    'How long the slowest work goes on; one that hangs shows here',
    ({ longestRunningMs }) => longestRunningMs / 1000,
  );
  gauge(
    'workqueue_unfinished_work_seconds',
    'The sum of how long all work goes on that has not ended',
    ({ unfinishedMs }) => unfinishedMs / 1000,
  );
}

/** Measures caches: how old they can be, whether they are complete, and how often they had to start over. */
export function observeInformers(meter: Meter, informers: InformerSet): void {
  const gauge = (name: string, description: string, read: (health: InformerHealth) => number) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      for (const [informer, health] of informers.health()) result.observe(read(health), { informer });
    });
  gauge('informer_lag_seconds', 'How long ago the server was last heard', ({ lagMs }) => (lagMs ?? 0) / 1000);
  gauge('informer_synced', '1 when the cache is complete', ({ synced }) => (synced ? 1 : 0));
  gauge('informer_healthy', '1 when the cache follows the server', ({ healthy }) => (healthy ? 1 : 0));
  gauge('informer_restarts', 'How often everything had to be read again', ({ restarts }) => restarts);
}

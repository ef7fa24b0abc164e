/** The panels of the dashboard: a title, a unit of Grafana, and a query of Prometheus with its legend. */
const panels: readonly (readonly [title: string, unit: string, query: string, legend: string])[] = [
  [
    'Reconciles per second',
    'ops',
    'sum by (controller, result) (rate(controller_runtime_reconcile_total{$pods}[5m]))',
    '{{controller}} {{result}}',
  ],
  [
    'Duration of reconciles, 99th percentile',
    's',
    'histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{$pods}[5m])))',
    '{{controller}}',
  ],
  ['Keys that wait', 'short', 'sum by (name) (workqueue_depth{$pods})', '{{name}}'],
  [
    'Time in the queue, 99th percentile',
    's',
    'histogram_quantile(0.99, sum by (name, le) (rate(workqueue_queue_duration_seconds_bucket{$pods}[5m])))',
    '{{name}}',
  ],
  ['Seconds since the server was heard', 's', 'max by (informer) (informer_lag_seconds{$pods})', '{{informer}}'],
  [
    'Longest reconcile that runs',
    's',
    'max by (name) (workqueue_longest_running_processor_seconds{$pods})',
    '{{name}}',
  ],
];

/** A dashboard of Grafana for the Pods of a release. */
export function grafanaDashboard(name: string): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    title: `Tektite: ${name}`,
    uid: name.slice(0, 40),
    schemaVersion: 39,
    tags: ['tektite'],
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(([title, unit, query, legendFormat], index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      datasource,
      gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: [{ refId: 'A', datasource, expr: query.replaceAll('$pods', `pod=~"${name}-.*"`), legendFormat }],
    })),
  };
}

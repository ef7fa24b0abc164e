/** Metrics, traces and status pages of controllers. */
export type { Attributes, Counter, Gauge, Histogram, Meter } from '@opentelemetry/api';
export type { Outcome, ReconcileMetrics } from '../reconcile/reconcile-metrics.ts';
export { currentTrace, type TraceContext } from '../reconcile/trace-context.ts';
export { controllerMetrics, observeInformers } from './controller-metrics.ts';
export { globalMeter } from './global-meter.ts';
export { observedTransport, type Observers } from './observed-transport.ts';
export { type StatusPage, statusPage, type StatusRequest, type StatusSubject } from './status-pages.ts';

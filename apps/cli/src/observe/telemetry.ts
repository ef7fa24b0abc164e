import { context, type Meter, metrics, propagation, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { sleep, systemClock } from '@tektite/meta';
import { version } from '../version.ts';
import { wantsTraces } from './wants-traces.ts';
import { asyncContext } from './async-context.ts';
import { traceParent } from './trace-parent.ts';

/** The telemetry of a process. */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** All metrics, in Prometheus' text format. */
  readMetrics(): Promise<string>;
  close(): Promise<void>;
}

const maxFlushMs = 2000;

/** How long a collector may take, retries included: they would keep a process alive that has ended all else. */
function patience(environment: NodeJS.ProcessEnv): { readonly timeoutMillis?: number } {
  const said = environment['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? environment['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'];
  return said === undefined ? { timeoutMillis: maxFlushMs } : {};
}

/**
 * Starts OpenTelemetry: metrics are served on request, traces are exported where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
 */
export function startTelemetry(environment: NodeJS.ProcessEnv = process.env): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': 'tektite', 'service.version': version });
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meters = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(meters);
  const traced = wantsTraces(environment);
  const spanProcessors = traced ? [new BatchSpanProcessor(new OTLPTraceExporter(patience(environment)))] : [];
  const tracers = new BasicTracerProvider({ resource, spanProcessors });
  if (traced) {
    context.setGlobalContextManager(asyncContext());
    propagation.setGlobalPropagator(traceParent);
    trace.setGlobalTracerProvider(tracers);
  }
  const serializer = new PrometheusSerializer();
  return {
    meter: meters.getMeter('tektite'),
    tracer: trace.getTracer('tektite'),
    async readMetrics() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    async close() {
      // The collector may be unreachable, which must not keep a process from ending.
      const waiting = new AbortController();
      const sent = Promise.allSettled([meters.shutdown(), tracers.shutdown()]);
      await Promise.race([sent, sleep(systemClock, maxFlushMs, waiting.signal).catch(() => undefined)]);
      waiting.abort();
    },
  };
}

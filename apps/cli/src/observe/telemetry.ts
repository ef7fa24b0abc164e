import { type Meter, metrics, type Tracer } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { currentTracer, exportTraces, resource, timeoutMillis } from './trace-export.ts';
import { wantsTraces } from './wants-traces.ts';

/** The telemetry of a process. */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** All metrics, in Prometheus' text format. */
  readMetrics(): Promise<string>;
  close(): Promise<void>;
}

/** The exporter has the variables of OpenTelemetry, but for its patience. */
function exporterOptions(environment: NodeJS.ProcessEnv): { readonly timeoutMillis?: number } {
  const said = environment['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? environment['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'];
  return said === undefined ? { timeoutMillis } : {};
}

/**
 * Starts OpenTelemetry: metrics are served on request, traces are exported where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
 */
export function startTelemetry(environment: NodeJS.ProcessEnv = process.env): Telemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meters = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(meters);
  if (wantsTraces(environment)) void exportTraces(exporterOptions(environment));
  const serializer = new PrometheusSerializer();
  return {
    meter: meters.getMeter('tektite'),
    tracer: currentTracer,
    async readMetrics() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    async close() {
      await Promise.allSettled([meters.shutdown(), exportTraces(undefined)]);
    },
  };
}

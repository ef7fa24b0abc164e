import { context, propagation, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { sleep, systemClock } from '@tektite/meta';
import { version } from '../version.ts';
import { asyncContext } from './async-context.ts';
import { traceParent } from './trace-parent.ts';

type ExporterOptions = ConstructorParameters<typeof OTLPTraceExporter>[0];

export const resource = resourceFromAttributes({ 'service.name': 'tektite', 'service.version': version });

const maxFlushMs = 2000;
let current: BasicTracerProvider | undefined;

/**
 * Exports the traces of this process from now on, or no longer. Spans of before are sent to where they were to go: the collector may be
 * unreachable, which delays nothing by more than two seconds. OpenTelemetry's state is one per process, and so is this.
 */
export async function exportTraces(options: ExporterOptions | undefined): Promise<void> {
  // Made first: options that cannot be used change nothing.
  const exporter = options && new OTLPTraceExporter(options);
  const before = current;
  if (before) {
    trace.disable();
    context.disable();
    propagation.disable();
  }
  current = exporter && new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  if (current) {
    context.setGlobalContextManager(asyncContext());
    propagation.setGlobalPropagator(traceParent);
    trace.setGlobalTracerProvider(current);
  }
  if (!before) return;
  const waiting = new AbortController();
  const sent = before.shutdown().catch(() => undefined);
  await Promise.race([sent, sleep(systemClock, maxFlushMs, waiting.signal).catch(() => undefined)]);
  waiting.abort();
}

/** How long a collector may take, retries included: they would keep a process alive that has ended all else. */
export const timeoutMillis: number = maxFlushMs;

/** Traces by the exporter of the moment: a tracer of OpenTelemetry stays with the one that it was given out for. */
export const currentTracer: Tracer = {
  startSpan: (...args) => trace.getTracer('tektite').startSpan(...args),
  startActiveSpan: ((...args: Parameters<Tracer['startActiveSpan']>) =>
    trace.getTracer('tektite').startActiveSpan(...args)) as Tracer['startActiveSpan'],
};

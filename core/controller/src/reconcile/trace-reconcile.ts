import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ControllerDefinition } from './controller-definition.ts';
import type { TraceContext } from './trace-context.ts';
import type { Result } from './result.ts';

/** Runs a reconcile as a span; its calls are child spans. Without an SDK this costs nearly nothing. */
export function traced(
  { name, kind }: ControllerDefinition,
  key: string,
  within: TraceContext | undefined,
  reconcile: () => Promise<Result>,
): Promise<Result> {
  const tracer = trace.getTracer('@tektite/controller');
  const attributes = { 'tektite.controller': name, 'k8s.kind': kind.kind, 'k8s.key': key };
  const parent = within ? propagation.extract(context.active(), within) : context.active();
  return tracer.startActiveSpan(`reconcile ${name}`, { attributes }, parent, async (span) => {
    const result = await reconcile();
    if (result.type === 'error' || result.type === 'terminalError') {
      span.recordException(result.error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.message });
    }
    span.setAttribute('tektite.result', result.type);
    span.end();
    return result;
  });
}

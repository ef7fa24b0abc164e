import { context, propagation } from '@opentelemetry/api';

/** Where a piece of work belongs in a trace, as headers of requests carry it: `traceparent`, `tracestate`. */
export type TraceContext = Readonly<Record<string, string>>;

/** The trace of what runs now. Empty when nothing is traced. */
export function currentTrace(): TraceContext {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

import { isSpanContextValid, type TextMapPropagator, trace, TraceFlags } from '@opentelemetry/api';

/** Tells the other side which trace a request belongs to, in the header of W3C Trace Context. Nobody tells us. */
export const traceParent: TextMapPropagator = {
  inject(context, carrier, setter) {
    const span = trace.getSpanContext(context);
    if (!span || !isSpanContextValid(span)) return;
    const sampled = (span.traceFlags & TraceFlags.SAMPLED) > 0 ? '01' : '00';
    setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-${sampled}`);
  },
  extract: (context) => context,
  fields: () => ['traceparent'],
};

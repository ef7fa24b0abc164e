import { isSpanContextValid, type TextMapPropagator, trace, TraceFlags } from '@opentelemetry/api';

const header = 'traceparent';

/** Says which trace something belongs to, and reads it, as W3C Trace Context has it. Other headers of it are not kept. */
export const traceParent: TextMapPropagator = {
  inject(context, carrier, setter) {
    const span = trace.getSpanContext(context);
    if (!span || !isSpanContextValid(span)) return;
    const sampled = (span.traceFlags & TraceFlags.SAMPLED) > 0 ? '01' : '00';
    setter.set(carrier, header, `00-${span.traceId}-${span.spanId}-${sampled}`);
  },
  extract(context, carrier, getter) {
    const said = getter.get(carrier, header);
    const [, traceId = '', spanId = '', flags = ''] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(typeof said === 'string' ? said : '') ?? [];
    const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return isSpanContextValid(span) ? trace.setSpanContext(context, span) : context;
  },
  fields: () => [header],
};

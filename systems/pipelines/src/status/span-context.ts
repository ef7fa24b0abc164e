import { currentTrace, type TraceContext } from '@tektite/controller/observe';

/** Says which trace a run belongs to, by JSON: `{"traceparent":"00-..."}`. */
export const taskRunTrace = 'tekton.dev/taskrunSpanContext';
export const pipelineRunTrace = 'tekton.dev/pipelinerunSpanContext';

/** Upstream passes nothing on that is longer. */
const maxLength = 1024;

/**
 * The trace of a run, for its status: the existing one, or that of its annotation, or, when traces are exported, that
 * of this reconcile. So the reconciles of a run, and of its children, share one trace.
 */
export function spanContextOf(
  known: TraceContext | undefined,
  annotation: string | undefined,
): TraceContext | undefined {
  if (known && Object.keys(known).length > 0) return known;
  const found = annotation ? readTrace(annotation) : currentTrace();
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The annotation that has a child of a run continue its trace. */
export function childTrace(own: TraceContext | undefined): string | undefined {
  const current = currentTrace();
  const trace = Object.keys(current).length > 0 ? current : passedOn(own);
  if (!trace) return undefined;
  const text = JSON.stringify(trace);
  return text.length < maxLength ? text : undefined;
}

/** Where nothing is traced here, others may still trace: what they need is handed on. */
function passedOn({ traceparent, tracestate }: TraceContext = {}): TraceContext | undefined {
  if (!traceparent || !/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent))
    return undefined;
  return { traceparent, ...(tracestate ? { tracestate } : {}) };
}

/** An invalid one counts as absent. */
function readTrace(text: string): TraceContext {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

import { createContextKey, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { asyncContext } from './async-context.ts';
import { traceParent } from './trace-parent.ts';

const key = createContextKey('which');
const named = (name: string) => ROOT_CONTEXT.setValue(key, name);

describe('the current context', () => {
  it('follows a task over every wait, beside others that run at the same time', async () => {
    const contexts = asyncContext();
    const seen: unknown[] = [];
    const look = () => seen.push(contexts.active().getValue(key));
    const task = async () => {
      look();
      await Promise.resolve();
      look();
      await new Promise((resolve) => void setTimeout(resolve, 1));
      look();
    };
    await Promise.all([contexts.with(named('a'), task), contexts.with(named('b'), task)]);
    expect([...seen].sort((x, y) => String(x).localeCompare(String(y)))).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
    look();
    expect(seen.at(-1)).toBeUndefined();
  });

  it('goes to the receiver and the arguments that a function was called with, and to functions that are bound', () => {
    const contexts = asyncContext();
    const read = function (this: { x: number }, y: number) {
      return [this.x, y, contexts.active().getValue(key)];
    };
    expect(contexts.with(named('a'), read as never, { x: 1 } as never, 2)).toEqual([1, 2, 'a']);
    const bound = contexts.bind(named('b'), () => contexts.active().getValue(key));
    expect(contexts.with(named('a'), bound)).toBe('b');
  });
});

describe('the header of a trace', () => {
  const headersOf = (traceId: string, traceFlags: number) => {
    const headers: Record<string, string> = {};
    const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'b7ad6b7169203331', traceFlags });
    traceParent.inject(context, headers, defaultTextMapSetter);
    return headers;
  };

  it('says trace, span, and whether it is kept', () => {
    const id = '0af7651916cd43dd8448eb211c80319c';
    expect(headersOf(id, 1)).toEqual({ traceparent: `00-${id}-b7ad6b7169203331-01` });
    expect(headersOf(id, 0)).toEqual({ traceparent: `00-${id}-b7ad6b7169203331-00` });
  });

  it('is left out where there is no trace', () => {
    expect(headersOf('0'.repeat(32), 1)).toEqual({});
    const headers = {};
    traceParent.inject(ROOT_CONTEXT, headers, defaultTextMapSetter);
    expect(headers).toEqual({});
  });
});

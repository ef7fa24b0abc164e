import { describe, expect, test } from 'vitest';
import { childTrace, spanContextOf } from './span-context.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace of a run', () => {
  test.each([
    ['stays what it is', { traceparent: 'known' }, `{"traceparent":"${traceparent}"}`, { traceparent: 'known' }],
    ['is what its annotation says', undefined, `{"traceparent":"${traceparent}"}`, { traceparent }],
    ['is what its annotation says, if its own is empty', {}, `{"traceparent":"${traceparent}"}`, { traceparent }],
    ['is none where nothing is traced', undefined, undefined, undefined],
    ['is none where the annotation is nonsense', undefined, '{"traceparent":', undefined],
    ['is none where the annotation is no object', undefined, '["a"]', undefined],
    ['has texts only', undefined, `{"traceparent":"${traceparent}","other":1}`, { traceparent }],
  ])('%s', (_, known, annotation, expected) => {
    expect(spanContextOf(known, annotation)).toEqual(expected);
  });

  test.each([
    ['is handed on to children', { traceparent, tracestate: 'a=b', baggage: 'x' }, { traceparent, tracestate: 'a=b' }],
    ['is not handed on if it is nonsense', { traceparent: 'nonsense' }, undefined],
    ['is not handed on if it is the empty one', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, undefined],
    ['is not handed on if it is too long', { traceparent, tracestate: 'x'.repeat(1024) }, undefined],
    ['is not handed on where there is none', undefined, undefined],
  ])('%s', (_, own, expected) => {
    const text = childTrace(own);
    expect(text === undefined ? undefined : JSON.parse(text)).toEqual(expected);
  });
});

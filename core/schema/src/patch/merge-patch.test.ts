import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  // The cases of the appendix of RFC 7386, in its order, then some of our own.
  it.each<[string, string, string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":1}', '{}', '{"a":1}'],
    ['{"a":{"b":1}}', '{"a":{"b":null}}', '{"a":{}}'],
    ['{"toString":"x"}', '{"constructor":"y","toString":null}', '{"constructor":"y"}'],
    ['{"a":1}', '{"__proto__":{"polluted":1}}', '{"a":1,"__proto__":{"polluted":1}}'],
    ['{"__proto__":{"x":1}}', '{"__proto__":{"y":2}}', '{"__proto__":{"x":1,"y":2}}'],
  ])('turns %s with %s into %s', (document, patch, expected) => {
    const before = JSON.parse(document) as unknown;
    const wanted = JSON.parse(patch) as unknown;
    expect(JSON.stringify(applyMergePatch(before, wanted))).toBe(expected);
    expect(JSON.stringify(before)).toBe(document);
    expect(JSON.stringify(wanted)).toBe(patch);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

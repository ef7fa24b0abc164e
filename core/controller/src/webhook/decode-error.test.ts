import type { Kind } from '@tektite/schema';
import { describe, expect, it } from 'vitest';
import { decodeError } from './decode-error.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        ratio: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};
const kind = { group: 'example.com', version: 'v1', kind: 'Widget', schema } as unknown as Kind;
const errorOf = (spec: unknown, options = {}) => decodeError({ metadata: {}, spec }, kind, options);

describe('decodeError', () => {
  it('accepts values of the types of the schema, null and absent fields', () => {
    expect(errorOf({ size: 1, ratio: 1.5, tags: ['a'], labels: { a: 'b' }, port: 'http' })).toBeUndefined();
    expect(errorOf({ size: null })).toBeUndefined();
    expect(errorOf(undefined)).toBeUndefined();
  });

  it('names the first field of another type, as Go does', () => {
    expect(errorOf({ size: 'x', tags: 1 })).toBe(
      'json: cannot unmarshal string into Go struct field Widget.spec.size of type int64',
    );
    expect(errorOf({ size: 1.5 })).toBe(
      'json: cannot unmarshal number 1.5 into Go struct field Widget.spec.size of type int64',
    );
    expect(errorOf({ tags: [true] })).toBe(
      'json: cannot unmarshal bool into Go struct field Widget.spec.tags of type string',
    );
    expect(errorOf({ labels: ['a'] })).toBe(
      'json: cannot unmarshal array into Go struct field Widget.spec.labels of type map[string]string',
    );
  });

  it('uses the names of Go structs where the kind has them', () => {
    const goNames = { 'spec.tags': { struct: 'WidgetSpec', type: '[]v1.Tag' } };
    expect(errorOf({ tags: {} }, { goNames })).toBe(
      'json: cannot unmarshal object into Go struct field WidgetSpec.spec.tags of type []v1.Tag',
    );
  });

  it('rejects a value that is no object, and unknown fields only where it is strict', () => {
    expect(decodeError([], kind)).toBe('json: cannot unmarshal array into Go value of type v1.Widget');
    expect(errorOf({ colour: 'red' })).toBeUndefined();
    expect(errorOf({ colour: 'red' }, { strict: true })).toBe('json: unknown field "colour"');
  });
});

import { describe, expect, it } from 'vitest';
import { printAsGo } from './print-as-go.ts';
import { s } from './schema-builder.ts';

const schema = s.object({
  name: s.string().optional(),
  role: s.string(),
  enabled: s.boolean().optional(),
  disabled: s.boolean(),
  strict: s.boolean().optional().inGo('value'),
  storage: s.string().optional().inGo('pointer'),
  limits: s.map(s.string()).optional(),
  options: s.object({ count: s.integer().optional() }).optional(),
  platform: s
    .object({ scc: s.object({}).optional() })
    .optional()
    .inGo('pointer'),
  config: s.object({ a: s.string().optional() }).inGo('raw'),
});

describe('printAsGo', () => {
  it('prints structs and required fields that were left out', () => {
    expect(printAsGo({}, schema)).toEqual({ role: '', disabled: false, options: {} });
    expect(printAsGo(undefined, schema)).toEqual({ role: '', disabled: false, options: {} });
  });

  it('drops empty values but not what pointers point to', () => {
    const value = {
      name: '',
      enabled: false,
      strict: false,
      storage: '',
      limits: {},
      platform: {},
      config: {},
      role: '',
    };
    expect(printAsGo(value, schema)).toEqual({
      role: '',
      disabled: false,
      enabled: false,
      storage: '',
      options: {},
      platform: { scc: {} },
    });
  });

  it('keeps values, unknown fields and raw objects, and does not change what it printed', () => {
    const value = {
      role: 'hub',
      disabled: true,
      strict: true,
      config: { a: '' },
      options: { count: 0 },
      other: { b: 1 },
    };
    expect(printAsGo(value, schema)).toEqual(value);
  });
});

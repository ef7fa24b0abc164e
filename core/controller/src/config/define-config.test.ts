import { describe, expect, test } from 'vitest';
import { isConfigError } from './config-error.ts';
import { booleanField, enumField, integerField } from './config-fields.ts';
import { checkConfigMap, configData, exampleChecksum } from './config-map-data.ts';
import { configKey, customConfig, defineConfig } from './define-config.ts';

const keys = {
  api: configKey('enable-api-fields', enumField('alpha', 'beta', 'stable'), 'beta'),
  minutes: configKey('default-timeout-minutes', integerField({ minimum: 0 }), 60),
  strict: configKey('strict', booleanField(), false),
};
const flags = defineConfig({ name: 'flags', keys });

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}

describe('a typed ConfigMap', () => {
  test('has defaults for what is absent', () => {
    expect(flags.parse({})).toEqual({ api: 'beta', minutes: 60, strict: false });
    expect(flags.parse({ 'default-timeout-minutes': '5' })).toEqual({ api: 'beta', minutes: 5, strict: false });
  });

  test('is frozen', () => {
    expect(Object.isFrozen(flags.parse({}))).toBe(true);
  });

  test('reports all errors at once', () => {
    const error = failure(() => flags.parse({ 'enable-api-fields': 'gamma', strict: 'no' }));
    expect(isConfigError(error)).toBe(true);
    expect((error as Error).message).toBe(
      'key "enable-api-fields": "gamma" is none of "alpha", "beta", "stable"; key "strict": "no" is neither true nor false',
    );
  });

  test('ignores keys it does not know, unless it is strict', () => {
    expect(flags.parse({ other: 'x' }).minutes).toBe(60);
    const strict = defineConfig({ name: 'flags', keys, strict: true });
    expect(() => strict.parse({ other: 'x' })).toThrow('key "other": there is no such setting');
  });

  test('checks what no key can check alone, and may have another form', () => {
    const limited = defineConfig({
      name: 'flags',
      keys,
      check: ({ api, minutes }) => {
        if (api === 'stable' && minutes === 0) throw new Error('stable needs a timeout');
        return `${api} for ${minutes}`;
      },
    });
    expect(limited.parse({})).toBe('beta for 60');
    const error = failure(() => limited.parse({ 'enable-api-fields': 'stable', 'default-timeout-minutes': '0' }));
    expect(isConfigError(error) && error.message).toBe('stable needs a timeout');
  });

  test('may have a custom parser, whose exceptions are errors of the ConfigMap', () => {
    const custom = customConfig('x', ({ level }) => {
      if (level !== 'a') throw new TypeError('level must be a');
      return { level };
    });
    expect(custom.parse({ level: 'a' })).toEqual({ level: 'a' });
    expect(isConfigError(failure(() => custom.parse({})))).toBe(true);
  });

  test('is not confused by keys that objects have by nature', () => {
    const odd = defineConfig({ name: 'x', keys: { a: configKey('constructor', integerField(), 1) } });
    expect(odd.parse({})).toEqual({ a: 1 });
    expect(
      Object.keys(configData({ data: JSON.parse('{"__proto__":"1","_example":"x"}') as Record<string, string> })),
    ).toEqual(['__proto__']);
  });
});

describe('the example in a ConfigMap', () => {
  test('sets nothing', () => {
    expect(() => checkConfigMap(flags, { metadata: {}, data: { _example: 'strict: maybe' } })).not.toThrow();
  });

  test('has the checksum that upstream computes', () => {
    expect(exampleChecksum('')).toBe('00000000');
    expect(exampleChecksum('  a\r\n\nb \n')).toBe(exampleChecksum('a\nb'));
  });

  test('may not be changed in place of a setting', () => {
    const metadata = { annotations: { 'knative.dev/example-checksum': exampleChecksum('a: 1') } };
    expect(() => checkConfigMap(flags, { metadata, data: { _example: 'a: 1' } })).not.toThrow();
    expect(() => checkConfigMap(flags, { metadata, data: { _example: 'a: 2' } })).toThrow(
      'the update modifies a key in "_example" which is probably not what you want.',
    );
  });
});

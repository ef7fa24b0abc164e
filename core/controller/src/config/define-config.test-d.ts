import type { GoDuration } from '@tektite/go';
import { expectTypeOf } from 'expect-type';
import { booleanField, durationField, enumField, integerField, listField } from './config-fields.ts';
import type { ConfigStore } from './config-store.ts';
import { configKey, type ConfigOf, defineConfig } from './define-config.ts';

const flags = defineConfig({
  name: 'flags',
  keys: {
    api: configKey('api', enumField('alpha', 'beta'), 'beta'),
    on: configKey('on', booleanField(), false),
    wait: configKey('wait', durationField(), 0n),
    names: configKey('names', listField(), []),
  },
});

expectTypeOf<ConfigOf<typeof flags>>().toEqualTypeOf<{
  readonly api: 'alpha' | 'beta';
  readonly on: boolean;
  readonly wait: GoDuration;
  readonly names: readonly string[];
}>();

declare const store: ConfigStore;
expectTypeOf(store.get(flags).api).toEqualTypeOf<'alpha' | 'beta'>();

// @ts-expect-error -- a default has to be one of the words
configKey('api', enumField('alpha', 'beta'), 'gamma');

const text = defineConfig({
  name: 'text',
  keys: { size: configKey('size', integerField(), 1) },
  check: ({ size }) => `${size}`,
});
expectTypeOf<ConfigOf<typeof text>>().toEqualTypeOf<string>();

import { defaulting, defaultingWebhook, invalidValue, validating, validatingWebhook } from '@tektite/controller';
import { Memcached } from './memcached.ts';

/** What a schema cannot say: a default that depends on something, and a rule that looks at the state before. */
export const memcachedWebhooks = [
  defaultingWebhook({
    name: 'defaulting.cache.example.com',
    rules: [
      defaulting(Memcached, (memcached) =>
        memcached.spec.image ? undefined : { ...memcached, spec: { ...memcached.spec, image: 'memcached:1.6' } },
      ),
    ],
  }),
  validatingWebhook({
    name: 'validation.cache.example.com',
    rules: [
      validating(Memcached, ({ spec }, { old }) => {
        if (spec.image?.endsWith(':latest')) return invalidValue(spec.image, 'spec.image', 'name a version');
        return old && old.spec.port !== spec.port ? invalidValue(spec.port, 'spec.port', 'cannot change') : undefined;
      }),
    ],
  }),
];

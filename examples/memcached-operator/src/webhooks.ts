import { invalidValue } from '@tektite/controller/field-errors';
import { defaulting, defaultingWebhook, validating, validatingWebhook } from '@tektite/controller/webhook';
import { Memcached } from './memcached.ts';

/** Rules beyond a schema: a default that depends on another field, and a rule over the old and the new state. */
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

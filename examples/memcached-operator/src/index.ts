import type { System } from '@tektite/controller';
import { memcachedController } from './controller.ts';
import { Memcached } from './memcached.ts';
import { memcachedWebhooks } from './webhooks.ts';

export { Memcached };

/** The operator: `tektite controller --systems ./dist/index.js` runs it. */
export const system: System = {
  name: 'memcached',
  kinds: [Memcached],
  controllers: [memcachedController],
  webhooks: memcachedWebhooks,
  permissions: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] }],
};

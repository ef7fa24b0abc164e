import { cached, type CachedSource } from '@tektite/controller';
import { ByoHost } from '../kinds/byo-host.ts';

/** The ByoHosts of all namespaces by name: `cache(hostsByName).byIndex('name', host)`. One value, because caches are shared. */
export const hostsByName: CachedSource<ByoHost> = cached(ByoHost, {
  indexes: { name: ({ metadata }) => [metadata.name ?? ''] },
});

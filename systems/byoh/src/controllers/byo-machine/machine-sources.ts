import { kinds } from '@tektite/client';
import { cached, type CachedSource, mapped } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { ByoCluster } from '../../kinds/byo-cluster.ts';
import { ByoHost } from '../../kinds/byo-host.ts';
import { Cluster, Machine } from '../../kinds/cluster-api.ts';
import { machineNameLabel } from '../../wire-names.ts';
import type { HostClaims } from './host-claims.ts';

/** The objects that ByoMachines depend on. */
export interface MachineSources {
  readonly hosts: CachedSource<ByoHost>;
  /** The records of the namespaces that hosts belong to. */
  readonly homes: CachedSource<ConfigMap>;
  readonly owners: CachedSource<Machine>;
  readonly clusters: CachedSource<Cluster>;
  readonly byoClusters: CachedSource<ByoCluster>;
}

/** A change of a host enqueues its machine and, while it is free, those that wait for one. */
export function machineSources(claims: HostClaims, records: string): MachineSources {
  return {
    hosts: mapped(ByoHost, (host) => claims.concernedBy(host), {
      indexes: { machine: ({ metadata }) => [metadata.labels?.[machineNameLabel] ?? ''] },
    }),
    homes: cached(kinds.ConfigMap, { namespace: records }),
    owners: mapped(Machine, ({ metadata, spec }) => {
      const { kind, name = '' } = spec?.infrastructureRef ?? {};
      return kind === 'ByoMachine' ? [cacheKey({ namespace: metadata.namespace ?? '', name })] : [];
    }),
    clusters: mapped(Cluster, ({ metadata }, target) => ofNamespace(metadata.namespace, target.keys())),
    byoClusters: mapped(ByoCluster, ({ metadata }, target) => ofNamespace(metadata.namespace, target.keys())),
  };
}

function ofNamespace(namespace: string | undefined, keys: Iterable<string>): readonly string[] {
  return [...keys].filter((key) => key.startsWith(`${namespace}/`));
}

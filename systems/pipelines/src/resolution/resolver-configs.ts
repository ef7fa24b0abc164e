import { type ConfigDefinition, ConfigStore, type ConfigStoreOptions, customConfig } from '@tektite/controller/config';
import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { SettingReader } from '../config/setting-reader.ts';
import { allResolvers } from './all-resolvers.ts';
import type { Resolver, ResolverConfig, ResolverSettings } from './resolver.ts';

/** Resolvers that can be switched off: all. */
const types = ['bundles', 'hub', 'git', 'cluster', 'http'] as const;
const flagOf = (type: string) => `enable-${type}-resolver`;

const featureFlags = customConfig('resolvers-feature-flags', (data) => {
  const read = new SettingReader(data);
  return Object.fromEntries(types.map((type) => [type, read.flag(flagOf(type), true)]));
});

/** A ConfigMap as it is; one without settings is as it is shipped. */
function plainConfig(name: string, shipped: ResolverConfig): ConfigDefinition<ResolverConfig> {
  return customConfig(name, (data) => (Object.keys(data).length > 0 ? { ...data } : shipped));
}

const cacheConfig = plainConfig('resolver-cache-config', { 'max-size': '1000', ttl: '5m' });
const resolverConfigs: ReadonlyMap<string, ConfigDefinition<ResolverConfig>> = new Map(
  allResolvers.map(({ type, configName, defaultConfig }) => [type, plainConfig(configName, defaultConfig)]),
);

/** The settings of resolvers without a cluster: the shipped ones. */
export const shippedSettings: ResolverSettings = {
  isEnabled: () => true,
  config: ({ defaultConfig }) => defaultConfig,
  cache: () => cacheConfig.parse({}),
  authorities: () => '',
};

/** Follows the ConfigMaps of the resolvers. */
export function resolverConfigStore(
  client: Client,
  namespace: string,
  handlers: Pick<ConfigStoreOptions, 'onError' | 'onWatchError'>,
): ConfigStore {
  return new ConfigStore(client, {
    namespace,
    definitions: [featureFlags, cacheConfig, ...resolverConfigs.values()],
    ...handlers,
  });
}

/** The current settings of the ConfigMaps. */
export function resolverSettings(store: ConfigStore, authorities: () => string): ResolverSettings {
  return {
    isEnabled: (type) => store.get(featureFlags)[type] ?? true,
    config: ({ type }: Resolver) => store.get(resolverConfigs.get(type) as ConfigDefinition<ResolverConfig>),
    cache: () => store.get(cacheConfig),
    authorities,
  };
}

/** The namespace of the resolvers with their ConfigMaps, as they are shipped. */
export function resolverObjects(namespace: string): readonly KubeObject[] {
  const labels = {
    'app.kubernetes.io/component': 'resolvers',
    'app.kubernetes.io/instance': 'default',
    'app.kubernetes.io/part-of': 'tekton-pipelines',
  };
  const configMap = (name: string, data: ResolverConfig) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    configMap('resolvers-feature-flags', Object.fromEntries(types.map((type) => [flagOf(type), 'true']))),
    configMap('resolver-cache-config', cacheConfig.parse({})),
    ...allResolvers.map(({ configName, defaultConfig }) => configMap(configName, defaultConfig)),
  ];
}

import { parseFirstYaml } from '@tektite/schema/yaml';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import type { PrunerGlobalConfig, PrunerNamespaceRules } from '../kinds/pruner-fields.ts';
import type { PrunerSettings } from './prune-limits.ts';

export const globalConfigName = 'tekton-pruner-default-spec';
export const namespaceConfigName = 'tekton-pruner-namespace-spec';

/** Reads the ConfigMaps. An invalid one counts as empty: no runs are deleted because of an error in a file. */
export function readPrunerSettings(maps: readonly ConfigMap[], systemNamespace: string): PrunerSettings {
  const global = maps.find(
    ({ metadata }) => metadata.name === globalConfigName && metadata.namespace === systemNamespace,
  );
  const namespaces = new Map<string, PrunerNamespaceRules>();
  for (const map of maps) {
    const rules = map.metadata.name === namespaceConfigName ? yamlIn(map, 'ns-config') : undefined;
    if (rules) namespaces.set(map.metadata.namespace ?? '', rules as PrunerNamespaceRules);
  }
  return {
    global: (global ? (yamlIn(global, 'global-config') as PrunerGlobalConfig | undefined) : undefined) ?? {},
    namespaces,
  };
}

function yamlIn({ data }: ConfigMap, key: string): object | undefined {
  try {
    const value = parseFirstYaml(data?.[key] ?? '')?.value;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

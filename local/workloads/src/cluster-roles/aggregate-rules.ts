import { equalJson, labelSelectorOf } from '@tektite/meta';
import type { ClusterRole, PolicyRule } from '@tektite/schema/kubernetes';

/** The rules of a role that is made of others: theirs, in the order of their names, each once. */
export function aggregateRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  const sorted = all.toSorted((a, b) => compare(a.metadata.name, b.metadata.name));
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const { matches } = labelSelectorOf(selector);
    for (const part of sorted) {
      if (part.metadata.name === role.metadata.name || !matches(part.metadata.labels)) continue;
      for (const rule of part.rules ?? []) if (!rules.some((known) => equalJson(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

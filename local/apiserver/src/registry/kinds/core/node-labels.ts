import { type FieldPath, validateLabelValue } from '@tektite/meta';
import type { NodeSelectorTerm } from '@tektite/schema/kubernetes';

const deprecatedLabels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The replacement of a deprecated node label. */
export function deprecatedLabel(key: string): string | undefined {
  return deprecatedLabels.get(key);
}

/** Warnings about a node selector term; values of preferences are not validated, so they are checked here. */
export function nodeSelectorTermWarnings(term: NodeSelectorTerm, checkValues: boolean, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const [i, { key, values = [] }] of (term.matchExpressions ?? []).entries()) {
    const at = path.child('matchExpressions').index(i);
    const message = deprecatedLabel(key);
    if (message !== undefined) warnings.push(`${at.child('key')}: ${key} is ${message}`);
    if (!checkValues) continue;
    for (const [j, value] of values.entries())
      for (const violation of validateLabelValue(value))
        warnings.push(`${at.child('values').index(j)}: ${value} is invalid, ${violation}`);
  }
  return warnings;
}

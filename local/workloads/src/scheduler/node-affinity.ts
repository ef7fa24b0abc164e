import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@tektite/schema/kubernetes';

type Labels = Readonly<Record<string, string>>;

/** Whether a node has the labels, and is in the place, that a Pod asks for. */
export function matchesNodeRules(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || (required.nodeSelectorTerms?.some((term) => matchesTerm(term, node)) ?? false);
}

/** How much a Pod would like the node: the sum of the weights of what it prefers. */
export function nodePreference(spec: PodSpec, node: Node): number {
  let weight = 0;
  for (const preferred of spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    if (matchesTerm(preferred.preference, node)) weight += preferred.weight;
  return weight;
}

/** All expressions of a term have to hold; a term without any selects nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const fields = { 'metadata.name': node.metadata.name ?? '' };
  return (
    matchExpressions.every((expression) => matchesExpression(expression, labels)) &&
    matchFields.every((expression) => matchesExpression(expression, fields))
  );
}

function matchesExpression({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compareIntegers(value, values[0], (a, b) => a > b);
    case 'Lt':
      return compareIntegers(value, values[0], (a, b) => a < b);
    default:
      return false;
  }
}

const integer = /^[+-]?[0-9]{1,18}$/;

function compareIntegers(
  a: string | undefined,
  b: string | undefined,
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  if (a === undefined || b === undefined || !integer.test(a) || !integer.test(b)) return false;
  return holds(BigInt(a.replace(/^\+/, '')), BigInt(b.replace(/^\+/, '')));
}

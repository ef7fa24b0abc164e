import { Quantity } from '@tektite/meta';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const one = Quantity.of(1);

/** Resources that quotas could count before they could count everything, under their plain names. */
const plainNames = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** The name under which a quota counts objects: `count/deployments.apps`. */
export function countName(group: string, plural: string): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Each object counts as one. */
export function countEvaluator(group: string, plural: string): QuotaEvaluator {
  const names = [countName(group, plural), ...(group === '' && plainNames.has(plural) ? [plural] : [])];
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    counts: (resource) => names.includes(resource),
    usage: () => new Map(names.map((name) => [name, one])),
  };
}

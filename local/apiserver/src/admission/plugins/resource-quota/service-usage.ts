import { Quantity } from '@tektite/meta';
import type { Service } from '@tektite/schema/kubernetes';
import { countName } from './count-usage.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const count = countName('', 'services');
const names = [count, 'services', 'services.nodeports', 'services.loadbalancers'];

/** Services count, and so do the node ports and load balancers they take. */
export const serviceEvaluator: QuotaEvaluator = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (resource) => names.includes(resource),
  usage(object) {
    const service = object as Service;
    return new Map([
      [count, Quantity.of(1)],
      ['services', Quantity.of(1)],
      ['services.loadbalancers', Quantity.of(service.spec?.type === 'LoadBalancer' ? 1 : 0)],
      ['services.nodeports', Quantity.of(nodePorts(service))],
    ]);
  },
};

/** Ports are handed out later; what counts is how many will be. */
function nodePorts({ spec }: Service): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  return spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}

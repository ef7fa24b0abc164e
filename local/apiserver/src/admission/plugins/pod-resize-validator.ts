import { Quantity, quoteGo, StatusError } from '@tektite/meta';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import { aggregateContainerRequests } from '../../registry/kinds/core/pod/aggregate-resources.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource, admissionForbidden } from '../admission.ts';

/** A Pod that is on a node cannot grow beyond what the node has. */
export function podResizeValidator(storage: Storage): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    validate(request) {
      if (request.operation !== 'UPDATE' || !isResource(request, '', 'pods') || request.subresource !== 'resize')
        return;
      const pod = request.object as Pod;
      const name = pod.spec?.nodeName;
      if (!name || pod.metadata.generation === request.oldObject?.metadata.generation) return;
      const node = storage.latest(`/registry/nodes/${name}`)?.value as Node | undefined;
      if (!node) throw admissionForbidden(request, `node ${quoteGo(name)} not found`);
      const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
      if (system !== 'linux')
        throw because(
          request,
          'UnsupportedPlatform',
          `pod resize is only supported on linux nodes, node ${quoteGo(name)} is ${quoteGo(system)}`,
        );
      const missing = excess(pod, node.status?.allocatable ?? {});
      if (missing.length > 0)
        throw because(request, 'NodeCapacity', `node didn't have enough allocatable resources: ${missing.join('; ')}`);
    },
  };
}

function because(request: AdmissionRequest, cause: string, reason: string): StatusError {
  const { status } = admissionForbidden(request, reason);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: cause }] } });
}

function excess({ spec }: Pod, allocatable: Readonly<Record<string, string>>): string[] {
  const requests = spec ? aggregateContainerRequests(spec) : new Map<string, Quantity>();
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const wanted = requests.get(name) ?? Quantity.of(0);
    const available = Quantity.parse(allocatable[name] ?? '0');
    if (wanted.compare(available) <= 0) return [];
    const value = (quantity: Quantity) => (name === 'cpu' ? quantity.milliValue : quantity.value);
    return [`${name}, requested: ${value(wanted)}, allocatable: ${value(available)}`];
  });
}

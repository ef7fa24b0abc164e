import type { Mutable } from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';
import { type AdmissionPlugin, isResource } from '../admission.ts';

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no Pods until it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    if (
      request.operation !== 'CREATE' ||
      !isResource(request, '', 'nodes') ||
      request.subresource !== '' ||
      !request.object
    )
      return;
    const node = request.object as Mutable<Node>;
    const spec = (node.spec ??= {});
    const taints = spec.taints ?? [];
    if (!taints.some(({ key, effect }) => key === taint.key && effect === taint.effect))
      spec.taints = [...taints, { ...taint }];
  },
};

import type { Mutable } from '@tektite/meta';
import type { Pod, Toleration } from '@tektite/schema/kubernetes';
import { type AdmissionPlugin, isResource } from '../admission.ts';

const seconds = 300;
const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Lets Pods stay on a node that is not ready, or out of reach, for five minutes, unless they say otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    if (!isResource(request, '', 'pods') || request.subresource !== '' || !request.object) return;
    const { spec } = request.object as Mutable<Pod>;
    if (!spec) return;
    const existing = spec.tolerations ?? [];
    const tolerates = (key: string) =>
      existing.some(
        (toleration) =>
          (toleration.key === key || !toleration.key) && (toleration.effect === 'NoExecute' || !toleration.effect),
      );
    const added = taints
      .filter((key) => !tolerates(key))
      .map(
        (key): Mutable<Toleration> => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }),
      );
    if (added.length > 0) spec.tolerations = [...existing, ...added];
  },
};

import type { Affinity, PodSpec } from '@tektite/schema/kubernetes';

/** Names the Pod that a run's Pods have to be near, because they share a volume that one node alone can mount. */
export const affinityAssistantAnnotation = 'pipeline.tekton.dev/affinity-assistant';

/** Has the Pod run on the node of the affinity assistant. What the template says about other Pods stays. */
export function withAffinityAssistant(spec: PodSpec, assistant: string | undefined): PodSpec {
  if (!assistant) return spec;
  const term = {
    labelSelector: {
      matchLabels: {
        'app.kubernetes.io/instance': assistant,
        'app.kubernetes.io/component': 'affinity-assistant',
      },
    },
    topologyKey: 'kubernetes.io/hostname',
  };
  const affinity: Affinity = {
    ...spec.affinity,
    podAffinity: {
      ...spec.affinity?.podAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...(spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        term,
      ],
    },
  };
  return { ...spec, affinity };
}

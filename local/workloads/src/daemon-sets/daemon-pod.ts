import type { NewObject } from '@tektite/client';
import type { ControllerRevision, DaemonSet, NodeSelector, Pod, PodSpec, Toleration } from '@tektite/schema/kubernetes';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { daemonSetNaming, statefulSetNaming } from '../revisions/controller-revisions.ts';

export const revisionLabel = daemonSetNaming.label;
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/** The hash of a revision. Revisions of earlier versions of this program have it under the label of StatefulSets. */
export function revisionHash({ metadata }: ControllerRevision): string | undefined {
  return metadata.labels?.[revisionLabel] ?? metadata.labels?.[statefulSetNaming.label];
}

/** Daemon Pods tolerate the conditions of their node, because they may be there to repair it. */
const ownTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const networkToleration: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The Pod spec of a DaemonSet, before a node is chosen. */
export function daemonSpec({ spec }: DaemonSet): PodSpec {
  const template = spec?.template.spec ?? { containers: [] };
  const added = template.hostNetwork ? [...ownTolerations, networkToleration] : ownTolerations;
  const own = template.tolerations ?? [];
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator;
  const missing = added.filter((each) => !own.some((known) => isSame(known, each)));
  return { ...template, tolerations: [...own, ...missing] };
}

/** The Pod for one node. It is the scheduler that brings it there, but it can go nowhere else. */
export function daemonPod(set: DaemonSet, node: string, revision: ControllerRevision): NewObject<Pod> {
  const pod = podFromTemplate(set, set.spec?.template ?? {});
  const generation = set.metadata.annotations?.[generationAnnotation];
  const spec = daemonSpec(set);
  return {
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        [revisionLabel]: revisionHash(revision) ?? '',
        ...(generation ? { [generationLabel]: generation } : {}),
      },
    },
    spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity: onlyOn(node, spec) } },
  };
}

/** Replaces the required node affinity of the template, which was evaluated when the node was chosen. */
function onlyOn(node: string, { affinity }: PodSpec) {
  const required: NodeSelector = {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
  };
  return { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
}

/** The node that a Pod is on, or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In') return values[0];
  return undefined;
}

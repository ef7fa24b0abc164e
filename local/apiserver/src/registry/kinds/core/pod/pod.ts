import { equalJson, validateDns1123Label, type Mutable } from '@tektite/meta';
import type { Container, Pod, PodSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../../kind-strategy.ts';
import { defaultPod } from './pod-defaults.ts';
import { podTable } from './pod-table.ts';
import { podWarnings } from './pod-warnings.ts';
import { dropDisabledFields, preparePod } from './prepare-pod.ts';
import { emptyPodSpec, validateNewPod } from './validate-pod.ts';
import { validatePodResize } from './validate-pod-resize.ts';
import { validatePodStatusUpdate } from './validate-pod-status.ts';
import { validateEphemeralContainersUpdate, validatePodUpdate } from './validate-pod-update.ts';

export const podStrategy: KindStrategy<Pod> = {
  metadataRules: { onUpdate: 'both' },
  default: defaultPod,
  prepareForCreate: (pod, { now }) => preparePod(pod, now),
  prepareForUpdate(pod, old) {
    setField(pod, 'status', old.status);
    if (pod.spec) dropDisabledFields(pod.spec, old.spec);
  },
  validateCreate: validateNewPod,
  validateUpdate: validatePodUpdate,
  subresources: {
    status: { prepareForUpdate: prepareStatus, validateUpdate: validatePodStatusUpdate },
    ephemeralcontainers: {
      prepareForUpdate(pod, old) {
        const ephemeralContainers = pod.spec?.ephemeralContainers;
        pod.spec = { ...(old.spec ?? emptyPodSpec) } as Mutable<PodSpec>;
        setField(pod.spec, 'ephemeralContainers', ephemeralContainers);
        setField(pod, 'status', old.status);
        keepMetadata(pod, old);
      },
      validateUpdate: validateEphemeralContainersUpdate,
    },
    resize: { prepareForUpdate: prepareResize, validateUpdate: validatePodResize },
  },
  warnings(pod, old) {
    // Pods change often, and hardly by hand.
    if (old) return [];
    const violations = validateDns1123Label(pod.metadata.name ?? '');
    const advice =
      violations.length === 0
        ? []
        : [
            `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${violations.join(' ')}]`,
          ];
    return [...advice, ...podWarnings(pod.spec ?? emptyPodSpec, pod.metadata)];
  },
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  fields: ({ spec, status }) => ({
    'spec.nodeName': spec?.nodeName ?? '',
    'spec.restartPolicy': spec?.restartPolicy ?? '',
    'spec.schedulerName': spec?.schedulerName ?? '',
    'spec.serviceAccountName': spec?.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec?.hostNetwork ?? false),
    'status.phase': status?.phase ?? '',
    'status.podIP': status?.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': status?.nominatedNodeName ?? '',
  }),
  table: podTable,
  generationChanged: (pod, old) => !equalJson(pod.spec, old.spec),
  defaultGracePeriodSeconds: ({ spec }) => spec?.terminationGracePeriodSeconds ?? 0,
  returnDeletedObject: true,
};

/** Sets a field, or removes it when there is nothing to set. */
function setField<T extends object, K extends keyof T>(object: T, field: K, value: unknown): void {
  if (value === undefined) delete object[field];
  else object[field] = value as T[K];
}

function prepareStatus(pod: Mutable<Pod>, old: Pod): void {
  setField(pod, 'spec', old.spec);
  setField(pod.metadata, 'ownerReferences', old.metadata.ownerReferences);
  pod.status ??= {};
  const { status } = pod;
  if (!status.qosClass) setField(status, 'qosClass', old.status?.qosClass);
  if (!status.observedGeneration) setField(status, 'observedGeneration', old.status?.observedGeneration);
  const remembered = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of old.status?.conditions ?? [])
    remembered.set(type, [...(remembered.get(type) ?? []), observedGeneration]);
  for (const condition of status.conditions ?? []) {
    const generation = remembered.get(condition.type)?.shift();
    if (!condition.observedGeneration) setField(condition, 'observedGeneration', generation);
  }
}

/** All but resources and resize policies stays; containers that were moved are left for validation to refuse. */
function prepareResize(pod: Mutable<Pod>, old: Pod): void {
  const spec = pod.spec ?? (emptyPodSpec as Mutable<PodSpec>);
  const before = old.spec ?? emptyPodSpec;
  const sameLength = (['containers', 'initContainers'] as const).every(
    (field) => (spec[field]?.length ?? 0) === (before[field]?.length ?? 0),
  );
  if (!sameLength) return;
  const next = { ...before } as Mutable<PodSpec>;
  setField(next, 'resources', spec.resources);
  for (const field of ['containers', 'initContainers'] as const) {
    const containers = spec[field] ?? [];
    if (containers.length === 0) continue;
    const known = before[field] ?? [];
    const moved = containers.some(({ name }, i) => known[i]?.name !== name);
    next[field] = moved ? containers : containers.map((container, i) => resized(known[i] as Container, container));
  }
  pod.spec = next;
  setField(pod, 'status', old.status);
  keepMetadata(pod, old);
}

/** A write of one part of the spec changes nothing of the metadata but the generation. */
function keepMetadata(pod: Mutable<Pod>, old: Pod): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    setField(pod.metadata, field, old.metadata[field]);
  if (!equalJson(pod.spec, old.spec)) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function resized(old: Container, { resources, resizePolicy }: Mutable<Container>): Mutable<Container> {
  const container = { ...old } as Mutable<Container>;
  setField(container, 'resources', resources);
  setField(container, 'resizePolicy', resizePolicy);
  return container;
}

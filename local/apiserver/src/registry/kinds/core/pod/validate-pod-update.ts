import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  inclusiveRangeError,
  required,
  quoteGo,
} from '@tektite/meta';
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSchedulingGate,
  PodSpec,
  Toleration,
} from '@tektite/schema/kubernetes';
import { goDiff, goList, goValue } from '../../go-value/go-value.ts';
import { validateTolerations } from './scheduling.ts';
import { emptyPodSpec, mirrorPod, validatePod, validatePodAnnotations } from './validate-pod.ts';

const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
const maxInt32 = 2 ** 31 - 1;
const mutableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** A Pod is made once: little of it may change. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const spec = pod.spec ?? emptyPodSpec;
  const oldSpec = old.spec ?? emptyPodSpec;
  validatePod(pod, errors);
  validateAnnotationUpdate(pod, old, errors);
  for (const field of ['containers', 'initContainers'] as const)
    if (!validateContainerUpdates(spec[field] ?? [], oldSpec[field] ?? [], specPath.child(field), errors))
      return errors;
  if (!validateDeadlineUpdate(spec, oldSpec, errors)) return errors;
  validateAddedTolerations(spec.tolerations ?? [], oldSpec.tolerations ?? [], errors);
  validateGates(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? [], errors);
  if (equalJson(spec, oldSpec)) return errors;
  const munged = withoutAllowedChanges(spec, oldSpec, errors);
  if (!equalJson(munged, oldSpec)) {
    const diff = goDiff('PodSpec', oldSpec, munged);
    const detail = `pod updates may not change fields other than ${mutableFields.join(',')}\n${diff}`;
    errors.push(forbidden(specPath, detail));
  }
  return errors;
}

/** Annotations that confine a container, or make a Pod the mirror of another, stay as they are. */
export function validateAnnotationUpdate(pod: Pod, old: Pod, errors: FieldError[]): void {
  const annotations = pod.metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  for (const key in before) {
    if (annotations[key] === before[key]) continue;
    if (key.startsWith(appArmorContainer))
      errors.push(forbidden(annotationsPath.key(key), 'may not remove or update AppArmor annotations'));
    if (key === mirrorPod)
      errors.push(forbidden(annotationsPath.key(key), 'may not remove or update mirror pod annotation'));
  }
  for (const key in annotations) {
    if (before[key] !== undefined) continue;
    if (key.startsWith(appArmorContainer))
      errors.push(forbidden(annotationsPath.key(key), 'may not add AppArmor annotations'));
    if (key === mirrorPod) errors.push(forbidden(annotationsPath.key(key), 'may not add mirror pod annotation'));
  }
  validatePodAnnotations(annotations, pod.spec ?? emptyPodSpec, annotationsPath, errors);
}

/** False when containers were added or removed: then nothing else can be compared. */
function validateContainerUpdates(
  containers: readonly Container[],
  old: readonly Container[],
  path: FieldPath,
  errors: FieldError[],
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  for (const [i, { image = '' }] of containers.entries()) {
    const imagePath = path.index(i).child('image');
    if (image === '') errors.push(required(imagePath));
    if (image.trim().length !== image.length)
      errors.push(invalid(imagePath, image, 'must not have leading or trailing whitespace'));
  }
  return true;
}

function validateDeadlineUpdate(spec: PodSpec, old: PodSpec, errors: FieldError[]): boolean {
  const deadline = spec.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  const path = specPath.child('activeDeadlineSeconds');
  if (deadline === undefined) {
    if (before !== undefined) errors.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return true;
  }
  if (deadline < 0 || deadline > maxInt32) errors.push(invalid(path, deadline, inclusiveRangeError(0, maxInt32)));
  else if (before !== undefined && before < deadline)
    errors.push(invalid(path, deadline, 'must be less than or equal to previous value'));
  else return true;
  return false;
}

function validateAddedTolerations(
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  errors: FieldError[],
): void {
  const path = specPath.child('tolerations');
  const forever = ({ tolerationSeconds: _, ...rest }: Toleration) => rest;
  const kept = old.every((before) => tolerations.some((now) => equalJson(forever(now), forever(before))));
  if (kept) validateTolerations(tolerations, path, errors);
  else errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
}

function validateGates(
  gates: readonly PodSchedulingGate[],
  old: readonly PodSchedulingGate[],
  errors: FieldError[],
): void {
  for (const [i, { name }] of gates.entries()) {
    if (old.some((gate) => gate.name === name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(specPath.child('schedulingGates').index(i).child('name'), detail));
  }
}

/** The new spec with everything that may change put back to what it was. */
function withoutAllowedChanges(spec: PodSpec, old: PodSpec, errors: FieldError[]): PodSpec {
  const withOldImages = (
    containers: readonly Container[] | null | undefined,
    before: readonly Container[] | null | undefined,
  ) => containers?.map((container, i) => withField(container, 'image', before?.[i]?.image));
  let munged: PodSpec = { ...spec, containers: withOldImages(spec.containers, old.containers) ?? null };
  const initContainers = withOldImages(spec.initContainers, old.initContainers);
  if (initContainers) munged = { ...munged, initContainers };
  munged = withField(munged, 'activeDeadlineSeconds', old.activeDeadlineSeconds);
  munged = withField(munged, 'schedulingGates', old.schedulingGates);
  munged = withField(munged, 'tolerations', old.tolerations);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    munged = withField(munged, 'terminationGracePeriodSeconds', old.terminationGracePeriodSeconds);
  return old.schedulingGates?.length ? withoutGatedChanges(munged, old, errors) : munged;
}

function withField<T extends object, K extends keyof T>(object: T, field: K, value: T[K] | undefined): T {
  const { [field]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [field]: value }) as T;
}

/** A Pod that waits at a gate may still become pickier about its node. */
function withoutGatedChanges(spec: PodSpec, old: PodSpec, errors: FieldError[]): PodSpec {
  let munged = spec;
  if (!equalJson(spec.nodeSelector, old.nodeSelector)) {
    const lost = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => spec.nodeSelector?.[key] !== value);
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    if (lost) errors.push(invalid(specPath.child('nodeSelector'), spec.nodeSelector ?? null, detail));
    munged = withField(munged, 'nodeSelector', old.nodeSelector);
  }
  const before = old.affinity?.nodeAffinity;
  if (equalJson(spec.affinity?.nodeAffinity, before)) return munged;
  validateNodeAffinityChange(spec.affinity?.nodeAffinity, before, errors);
  if (!munged.affinity) return before ? withField(munged, 'affinity', { nodeAffinity: before }) : munged;
  if (!old.affinity && !munged.affinity.podAffinity && !munged.affinity.podAntiAffinity)
    return withField(munged, 'affinity', undefined);
  return withField(munged, 'affinity', withField(munged.affinity, 'nodeAffinity', before));
}

function validateNodeAffinityChange(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  errors: FieldError[],
): void {
  const needed = 'requiredDuringSchedulingIgnoredDuringExecution';
  const before = old?.[needed]?.nodeSelectorTerms ?? [];
  const terms = affinity?.[needed]?.nodeSelectorTerms ?? undefined;
  const path = specPath.child('affinity', 'nodeAffinity', needed, 'nodeSelectorTerms');
  if (before.length === 0) return;
  if (before.length !== (terms?.length ?? 0)) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    errors.push(invalid(path, goList('NodeSelectorTerm', terms), detail));
    return;
  }
  for (const [i, term] of (terms ?? []).entries())
    if (!onlyAdds(term, before[i] as NodeSelectorTerm))
      errors.push(
        invalid(
          path.index(i),
          goValue('NodeSelectorTerm', term),
          'only additions are allowed (no mutations or deletions)',
        ),
      );
}

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const size = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm) =>
    matchExpressions.length + matchFields.length;
  if (size(old) === 0) return size(term) === 0;
  return (['matchExpressions', 'matchFields'] as const).every((field) => {
    const before = old[field] ?? [];
    return equalJson((term[field] ?? []).slice(0, before.length), before);
  });
}

/** Debugging containers can be added, and never changed or removed. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): FieldError[] {
  if (old.metadata.annotations?.[mirrorPod] !== undefined)
    return [forbidden('[]', 'static pods do not support ephemeral containers')];
  const errors: FieldError[] = [];
  validatePod(pod, errors);
  validateAnnotationUpdate(pod, old, errors);
  const path = specPath.child('ephemeralContainers');
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const now = pod.spec?.ephemeralContainers?.find(({ name }) => name === before.name);
    const subject = `existing ephemeral containers ${quoteGo(before.name)}`;
    if (!now) errors.push(forbidden(path, `${subject} may not be removed\n`));
    else if (!equalJson(now, before))
      errors.push(forbidden(path, `${subject} may not be changed\n${goDiff('EphemeralContainer', before, now)}`));
  }
  return errors;
}

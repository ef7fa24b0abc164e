import { type FieldError, FieldPath, forbidden, invalid } from '@tektite/meta';
import type { Pod, PodSpec, PodTemplateSpec } from '@tektite/schema/kubernetes';
import { validateLabels } from '@tektite/meta';
import { validateAnnotations } from '../../object-meta.ts';
import { checkImage } from './containers.ts';
import { validatePodSpec } from './pod-spec.ts';
import { validateTolerations } from './scheduling.ts';
import { checkProfilesMatch, validateProfileAnnotations } from './security-profiles.ts';
import type { Toleration } from '@tektite/schema/kubernetes';

export const mirrorPod = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';
const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');

/** A Pod without anything in its spec, as Go reads a Pod that has none. */
export const emptyPodSpec: PodSpec = { containers: null };

export function validateNewPod(pod: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const spec = pod.spec ?? emptyPodSpec;
  validatePod(pod, errors);
  if (spec.ephemeralContainers?.length)
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  if (spec.nodeName && spec.schedulingGates?.length)
    errors.push(forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  checkProfilesMatch(pod.metadata, spec, specPath, errors);
  return errors;
}

/** The rules that hold for a Pod at any time. */
export function validatePod(pod: Pod, errors: FieldError[]): void {
  const spec = pod.spec ?? emptyPodSpec;
  validatePodAnnotations(pod.metadata.annotations, spec, annotationsPath, errors);
  validatePodSpec(spec, pod.metadata, specPath, errors);
  if (!spec.serviceAccountName) checkNoTokens(spec, errors);
  for (const field of ['containers', 'initContainers'] as const)
    for (const [i, container] of (spec[field] ?? []).entries())
      checkImage(container, specPath.child(field).index(i), errors);
}

function checkNoTokens(spec: PodSpec, errors: FieldError[]): void {
  for (const [i, volume] of (spec.volumes ?? []).entries())
    for (const [j, source] of (volume.projected?.sources ?? []).entries()) {
      if (!source.serviceAccountToken) continue;
      const path = specPath.child('volumes').index(i).child('projected', 'sources').index(j);
      errors.push(
        forbidden(path.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set'),
      );
    }
}

/** Annotations that mean something to Kubernetes itself. */
export function validatePodAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  const mirror = annotations[mirrorPod];
  if (mirror !== undefined && !spec.nodeName)
    errors.push(invalid(path.key(mirrorPod), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  if (annotations[tolerationsAnnotation])
    validateTolerations(
      parseTolerations(annotations[tolerationsAnnotation]),
      path.child(tolerationsAnnotation),
      errors,
    );
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isInt32(cost))
    errors.push(invalid(path.key(deletionCost), cost, 'must be a 32bit integer'));
  validateProfileAnnotations(annotations, spec, path, errors);
}

/** Upstream takes neither a plus sign nor leading zeros for a cost. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9][0-9]{0,9})$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

function parseTolerations(text: string): Toleration[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Toleration[]) : [];
  } catch {
    return [];
  }
}

/** The Pod inside a workload. */
export function validatePodTemplateSpec(
  template: Partial<PodTemplateSpec>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { metadata = {}, spec = emptyPodSpec } = template;
  const { labels, annotations } = metadata;
  errors.push(...validateLabels(labels, path.child('labels')));
  validateAnnotations(annotations, path.child('annotations'), errors);
  validatePodAnnotations(annotations, spec, path.child('annotations'), errors);
  validatePodSpec(spec, undefined, path.child('spec'), errors);
  checkProfilesMatch(metadata, spec, path.child('spec'), errors);
  if (spec.ephemeralContainers?.length)
    errors.push(
      forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
}

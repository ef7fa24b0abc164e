import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateDns1123Label,
  labelSelectorOf,
  notSupported,
  required,
  type Selector,
  validateLabelSelector,
} from '@tektite/meta';
import type { LabelSelector, PodTemplateSpec } from '@tektite/schema/kubernetes';
import { validatePodTemplateSpec } from './pod/validate-pod.ts';
import { printableSelector } from '../go-value/go-value.ts';

/** Rules that workloads share: their selector and the template of their Pods. */

/** The selector, ready to be asked; `undefined` when it cannot be read. */
export function readSelector(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return labelSelectorOf(selector);
  } catch {
    return undefined;
  }
}

export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;

/** A selector that must be there and ask for something. `noun` is what upstream calls the workload. */
export function validateSelector(
  selector: LabelSelector | undefined,
  noun: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!selector) {
    errors.push(required(path));
    return;
  }
  errors.push(...validateLabelSelector(selector, path));
  if (isEmptySelector(selector))
    errors.push(invalid(path, printableSelector(selector), `empty selector is invalid for ${noun}`));
}

/** The workload must select its own Pods. */
export function checkTemplateLabels(
  selector: Selector,
  template: Partial<PodTemplateSpec>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const labels = template.metadata?.labels;
  if (!selector.isEmpty && !selector.matches(labels))
    errors.push(
      invalid(
        path.child('metadata', 'labels'),
        labels ? sortedLabels(labels) : null,
        '`selector` does not match template `labels`',
      ),
    );
}

/** Labels in the order in which Go prints them. */
export function sortedLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(labels)
      .sort()
      .map((key) => [key, labels[key] as string]),
  );
}

/** Pods that are to run always have no end. */
export function checkRunsForever(
  template: Partial<PodTemplateSpec>,
  noun: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== 'Always')
    errors.push(notSupported(path.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${noun} is not Supported`),
    );
}

/** The template of a ReplicaSet or of a Deployment. */
export function validateReplicatedTemplate(
  template: Partial<PodTemplateSpec> | undefined,
  selector: LabelSelector | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const read = readSelector(selector);
  if (!read) {
    errors.push(invalid(path.child('selector'), printableSelector(selector), 'invalid label selector'));
    return;
  }
  const templatePath = path.child('template');
  checkTemplateLabels(read, template ?? {}, templatePath, errors);
  validatePodTemplateSpec(template ?? {}, templatePath, errors);
  checkRunsForever(template ?? {}, 'ReplicaSet', templatePath, errors);
}

/** Advice about a name that will be part of names of Pods. */
export function podNameWarnings(name: string | undefined): string[] {
  const violations = validateDns1123Label(name ?? '');
  if (violations.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${violations.join(' ')}]`,
  ];
}

type Counts = Readonly<Record<string, unknown>>;

/** Counts of a status: none is negative, and none exceeds the whole. */
export function validateCounts(
  status: Counts,
  fields: readonly string[],
  partsOfReplicas: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const count = (field: string) => (status[field] as number | undefined) ?? 0;
  for (const field of fields)
    if (count(field) < 0) errors.push(invalid(path.child(field), count(field), 'must be greater than or equal to 0'));
  for (const field of partsOfReplicas)
    if (count(field) > count('replicas'))
      errors.push(invalid(path.child(field), count(field), 'cannot be greater than status.replicas'));
}

/** A count of name collisions only grows: names already tried are not tried again. */
export function checkNotDecremented(
  now: number | undefined,
  before: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (before !== undefined && (now === undefined || now < before))
    errors.push(invalid(path, now ?? 0, 'cannot be decremented'));
}

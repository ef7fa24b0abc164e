import { isMapping, listAt, mappingAt } from '../field-value.ts';
import type { DraftObject, Transform } from '../manifest.ts';

export interface MetadataOptions {
  /** Also in the templates of Pods. */
  readonly includeTemplates?: boolean;
  /** Also in selectors; they cannot be changed on workloads that exist. Implies templates. */
  readonly includeSelectors?: boolean;
}

/** Adds labels. */
export function setLabels(labels: Readonly<Record<string, string>>, options: MetadataOptions = {}): Transform {
  return function setLabels(draft) {
    draft.metadata.labels = { ...draft.metadata.labels, ...labels };
    if (options.includeTemplates || options.includeSelectors)
      for (const template of templatesOf(draft)) assignIn(metadataIn(template), 'labels', labels);
    if (options.includeSelectors) selectors(draft, labels);
  };
}

/** Adds annotations. */
export function setAnnotations(
  annotations: Readonly<Record<string, string>>,
  options: MetadataOptions = {},
): Transform {
  return function setAnnotations(draft) {
    draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
    if (options.includeTemplates)
      for (const template of templatesOf(draft)) assignIn(metadataIn(template), 'annotations', annotations);
  };
}

/** The Pod templates in an object: `spec.template`, of CronJobs `spec.jobTemplate.spec.template`. */
export function templatesOf(draft: DraftObject): readonly Record<string, unknown>[] {
  return [
    mappingAt(draft, 'spec', 'template'),
    mappingAt(draft, 'spec', 'jobTemplate', 'spec', 'template'),
    draft.kind === 'PodTemplate' ? mappingAt(draft, 'template') : undefined,
  ].filter((template) => template !== undefined);
}

/** The Pod specs in an object, its own included. */
export function podSpecsOf(draft: DraftObject): readonly Record<string, unknown>[] {
  const own = draft.kind === 'Pod' && draft.apiVersion === 'v1' ? [mappingAt(draft, 'spec')] : [];
  return [...own, ...templatesOf(draft).map((template) => mappingAt(template, 'spec'))].filter(
    (spec) => spec !== undefined,
  );
}

function metadataIn(template: Record<string, unknown>): Record<string, unknown> {
  if (!isMapping(template.metadata)) template.metadata = {};
  return template.metadata as Record<string, unknown>;
}

function assignIn(parent: Record<string, unknown>, field: string, values: Readonly<Record<string, string>>): void {
  parent[field] = { ...(isMapping(parent[field]) ? parent[field] : {}), ...values };
}

function selectors(draft: DraftObject, labels: Readonly<Record<string, string>>): void {
  const spec = mappingAt(draft, 'spec');
  if (!spec) return;
  if (draft.kind === 'Service' || draft.kind === 'ReplicationController') {
    if (isMapping(spec.selector)) assignIn(spec, 'selector', labels);
  } else if (isMapping(spec.selector)) assignIn(spec.selector, 'matchLabels', labels);
  if (draft.kind === 'NetworkPolicy' && isMapping(spec.podSelector)) assignIn(spec.podSelector, 'matchLabels', labels);
  for (const claim of listAt(spec, 'volumeClaimTemplates'))
    if (isMapping(claim)) assignIn(metadataIn(claim), 'labels', labels);
}

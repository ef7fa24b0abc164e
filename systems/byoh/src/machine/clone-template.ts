import { type DynamicObject, formatGroupKind, type OwnerReference, parseApiVersion } from '@tektite/meta';
import { clonedFromKindAnnotation, clonedFromNameAnnotation, clusterNameLabel } from '../wire-names.ts';

export interface CloneOptions {
  readonly name: string;
  readonly namespace: string;
  readonly clusterName: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
}

/** The kind that a template makes: its own without the `Template` at the end. Nothing when it is no template's. */
export function kindOfTemplate(kind: string): string | undefined {
  const made = kind.endsWith('Template') ? kind.slice(0, -'Template'.length) : '';
  return made === '' || made.includes('Template') ? undefined : made;
}

/**
 * Clones a template as Cluster API does: its inner object, with a namespace, an owner, and annotations of its origin.
 */
export function cloneTemplate(template: DynamicObject, options: CloneOptions): DynamicObject {
  const inner = (template['spec'] as { template?: unknown } | undefined)?.template;
  const name = template.metadata.name ?? '';
  if (typeof inner !== 'object' || inner === null) throw new Error(`${template.kind} ${name} has no spec.template`);
  const { metadata, ...rest } = inner as { metadata?: { labels?: object; annotations?: object } };
  const { group } = parseApiVersion(template.apiVersion) ?? { group: '' };
  return {
    ...rest,
    apiVersion: template.apiVersion,
    kind: kindOfTemplate(template.kind) ?? template.kind,
    metadata: {
      name: options.name,
      namespace: options.namespace,
      annotations: {
        ...metadata?.annotations,
        ...options.annotations,
        [clonedFromNameAnnotation]: name,
        [clonedFromKindAnnotation]: formatGroupKind(group, template.kind),
      },
      labels: { ...metadata?.labels, [clusterNameLabel]: options.clusterName },
      ownerReferences: [options.owner],
    },
  };
}

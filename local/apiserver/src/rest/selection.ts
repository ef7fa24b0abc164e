import { badRequestError, type FieldSelector, type KubeObject, type Selector } from '@tektite/meta';
import type { Resource } from '../registry/resource.ts';

/** The objects of a list or a watch. */
export interface Selection {
  /** Decides over objects as they are stored; `undefined`: all. */
  readonly stored: ObjectFilter | undefined;
  /**
   * Decides over objects in the version that is asked for. Only for custom resources that are selected by fields of their
   * own: a webhook converts these, and so the storage cannot ask this filter.
   */
  readonly converted: ObjectFilter | undefined;
}

export type ObjectFilter = (object: KubeObject) => boolean;

/** The fields every kind can be selected by. */
const commonFields = new Set(['metadata.name', 'metadata.namespace']);

/** Joins a label and a field selector. Throws a 400 for a field the kind cannot be selected by. */
export function selection(resource: Resource, labels: Selector, fields: FieldSelector): Selection {
  checkFields(resource, fields);
  const isOwn = resource.custom && fields.requirements.some(({ field }) => !commonFields.has(field));
  const matchesFields = (object: KubeObject) => fields.matches(fieldsOf(resource, object));
  if (isOwn)
    return {
      stored: labels.isEmpty ? undefined : (object) => labels.matches(object.metadata.labels),
      converted: matchesFields,
    };
  if (labels.isEmpty && fields.isEmpty) return { stored: undefined, converted: undefined };
  return {
    stored: (object) => labels.matches(object.metadata.labels) && (fields.isEmpty || matchesFields(object)),
    converted: undefined,
  };
}

function fieldsOf(resource: Resource, object: KubeObject): Readonly<Record<string, string>> {
  const { name = '', namespace = '' } = object.metadata;
  return {
    ...resource.strategy.fields?.(inOwnVersion(resource, object)),
    'metadata.name': name,
    'metadata.namespace': namespace,
  };
}

/** Kinds with selectable fields have other error texts than those without. */
function checkFields(resource: Resource, fields: FieldSelector): void {
  const own = resource.strategy.selectableFields;
  for (const { field } of fields.requirements) {
    // Kinds with fields of their own say all that they have, and those of the cluster have no namespace.
    const isCommon = commonFields.has(field) && (!own || resource.namespaced || field === 'metadata.name');
    if (isCommon || own?.includes(field)) continue;
    throw badRequestError(
      own
        ? (resource.strategy.unsupportedField?.(field) ?? `field label not supported: ${field}`)
        : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
}

/** Built-in kinds are converted here; custom resources are converted before they are selected. */
function inOwnVersion(resource: Resource, stored: KubeObject): KubeObject {
  if (resource.custom || !resource.fromStorage) return stored;
  const converted = resource.fromStorage([stored]);
  return converted instanceof Promise ? stored : (converted[0] as KubeObject);
}

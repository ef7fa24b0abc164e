import { badRequestError, type FieldSelector, type KubeObject, type Selector } from '@tektite/meta';
import type { Resource } from '../registry/resource.ts';

/** Decides whether an object is in a list or a watch. */
export type Selection = (object: KubeObject) => boolean;

/** The fields every kind can be selected by. */
const commonFields = new Set(['metadata.name', 'metadata.namespace']);

/**
 * Joins a label and a field selector. `undefined` when everything is selected, so that callers can skip the work.
 * Throws a 400 for a field the kind cannot be selected by.
 */
export function selection(resource: Resource, labels: Selector, fields: FieldSelector): Selection | undefined {
  checkFields(resource, fields);
  if (labels.isEmpty && fields.isEmpty) return undefined;
  return (object) =>
    labels.matches(object.metadata.labels) && (fields.isEmpty || fields.matches(fieldsOf(resource, object)));
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
    if (commonFields.has(field) || own?.includes(field)) continue;
    throw badRequestError(
      own
        ? (resource.strategy.unsupportedField?.(field) ?? `field label not supported: ${field}`)
        : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
}

/** Built-in kinds are read as the version that is asked for; custom resources are selected by what is stored. */
function inOwnVersion(resource: Resource, stored: KubeObject): KubeObject {
  if (resource.custom || !resource.fromStorage) return stored;
  const converted = resource.fromStorage([stored]);
  return converted instanceof Promise ? stored : (converted[0] as KubeObject);
}

import { badRequestError, type FieldSelector, type KubeObject, type Selector } from '@tektite/meta';
import { apiVersionOf, type Resource } from '../registry/resource.ts';

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
  return { ...resource.strategy.fields?.(object), 'metadata.name': name, 'metadata.namespace': namespace };
}

function checkFields(resource: Resource, fields: FieldSelector): void {
  for (const { field } of fields.requirements) {
    if (commonFields.has(field) || resource.strategy.selectableFields?.includes(field)) continue;
    throw badRequestError(
      `Unable to find "${formatKind(resource)}" that match label selector "", field selector "${fields.toString()}": field label not supported: ${field}`,
    );
  }
}

function formatKind(resource: Resource): string {
  return `${apiVersionOf(resource).includes('/') ? '' : '/'}${apiVersionOf(resource)}, Resource=${resource.plural}`;
}

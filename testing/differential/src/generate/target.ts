import type { JsonSchema } from './json-schema.ts';
import type { Sample } from './samples.ts';

/** Objects of one kind that a sequence works on, and where they are. */
export interface Target {
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly schema: JsonSchema;
}

/** The label by which a sequence finds its own objects among those of all. */
export const sequenceLabel = 'sequence';

export function targetOf(sample: Sample, schema: JsonSchema): Target {
  const { apiVersion, kind, plural, isNamespaced, hasStatus, hasScale = false, fields } = sample;
  return {
    collection: collectionPath(apiVersion, plural, isNamespaced),
    apiVersion,
    kind,
    isNamespaced,
    hasStatus,
    hasScale,
    fields,
    schema,
  };
}

export function collectionPath(apiVersion: string, plural: string, isNamespaced: boolean): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced ? `${root}/namespaces/{{ns}}/${plural}` : `${root}/${plural}`;
}

/** Few names, so that operations meet the same objects. */
export function objectName(target: Target, name: string): string {
  return target.isNamespaced ? name : `${name}.{{ns}}`;
}

/** A valid object of the target. */
export function objectOf(
  target: Target,
  name: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: objectName(target, name), labels: { [sequenceLabel]: '{{ns}}' }, ...metadata },
    ...target.fields,
  };
}

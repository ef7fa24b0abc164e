import { cloneJson, formatApiVersion, type KubeObject, parseJson } from '@tektite/meta';
import { canonicalJson, type JsonSchema } from '@tektite/schema';
import { compare } from './compare.ts';
import { type FieldSet, subtractSets } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';

type AnyObject = KubeObject & { readonly [field: string]: unknown };

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields that kubectl's annotation says it had applied, as far as the live object still agrees. */
export function lastAppliedFields(
  resource: { readonly group: string; readonly version: string; readonly schema: JsonSchema },
  live: AnyObject,
): FieldSet | undefined {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  if (!text) return undefined;
  try {
    const applied = parseJson(text) as AnyObject;
    if (applied.apiVersion !== formatApiVersion(resource)) return undefined;
    const changes = compare(resource.schema, applied, live);
    return [changes.modified, changes.added, changes.removed].reduce(
      subtractSets,
      toFieldSet(resource.schema, applied),
    );
  } catch {
    return undefined;
  }
}

/** kubectl's annotation, where there is one, follows what kubectl applies on the server side. */
export function syncLastApplied(object: AnyObject, config: AnyObject, manager: string): AnyObject {
  const annotations = object.metadata.annotations;
  if (manager !== 'kubectl' || !annotations?.[lastAppliedAnnotation]) return object;
  const applied = cloneJson(config) as Record<string, unknown> & { metadata: { annotations?: Record<string, string> } };
  if (applied.metadata.annotations) delete applied.metadata.annotations[lastAppliedAnnotation];
  const text = `${canonicalJson(applied)}\n`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } },
  };
}

import type { DynamicObject } from '@tektite/meta';
import { mappingAt } from './field-value.ts';
import { sha256Hex } from './hash/canonical-hash.ts';

/** A Secret of which one can see that a value changed, and not to what. */
export function redactSecret(secret: DynamicObject): DynamicObject {
  const result: Record<string, unknown> = { ...secret };
  for (const field of ['data', 'stringData']) {
    const values = mappingAt(secret, field);
    if (!values) continue;
    result[field] = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, redacted(String(value))]));
  }
  const last = 'kubectl.kubernetes.io/last-applied-configuration';
  const { annotations } = secret.metadata;
  if (annotations?.[last] !== undefined)
    result.metadata = { ...secret.metadata, annotations: { ...annotations, [last]: redacted(annotations[last]) } };
  return result as DynamicObject;
}

function redacted(value: string): string {
  return `(redacted, sha256:${sha256Hex(value).slice(0, 8)})`;
}

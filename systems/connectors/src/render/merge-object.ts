import { type DynamicObject, parseApiVersion } from '@tektite/meta';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';

/** Merges a patch into an object: with merge keys for built-in kinds, as plain JSON otherwise. */
export function mergeObject(object: DynamicObject, patch: object): DynamicObject {
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
  const builtin = findBuiltinKind(group, version, object.kind);
  if (!builtin) return applyMergePatch(object, patch) as DynamicObject;
  return applyStrategicMergePatch(builtin.schema, object, patch) as DynamicObject;
}

import { type DynamicObject, parseApiVersion } from '@tektite/meta';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';

/** An object with another one laid over it: with merge keys for kinds that everybody knows, as plain JSON otherwise. */
export function mergeObject(object: DynamicObject, patch: object): DynamicObject {
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
  const builtin = findBuiltinKind(group, version, object.kind);
  if (!builtin) return applyMergePatch(object, patch) as DynamicObject;
  return applyStrategicMergePatch(builtin.schema, object, patch) as DynamicObject;
}

import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateConfigMapKey,
  tooLong,
} from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { base64Length } from './base64-length.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { configMapColumns } from './columns.ts';

/** One mebibyte: what ConfigMaps and Secrets may hold in all. */
export const maxData = 1024 * 1024;
const immutable = 'field is immutable when `immutable` is set';

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in data) {
    const path = FieldPath.of('data').key(key);
    for (const violation of validateConfigMapKey(key)) errors.push(invalid(path, key, violation));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(path, key, 'duplicate of key present in binaryData'));
    size += Buffer.byteLength(data[key] as string);
  }
  for (const key in binaryData) {
    const path = FieldPath.of('binaryData').key(key);
    for (const violation of validateConfigMapKey(key)) errors.push(invalid(path, key, violation));
    size += base64Length(binaryData[key] as string);
  }
  if (size > maxData) errors.push(tooLong('[]', maxData));
  return errors;
}

export const configMapStrategy: KindStrategy<ConfigMap> = {
  metadataRules: { onUpdate: 'both' },
  validateCreate: validateConfigMap,
  validateUpdate(configMap, old) {
    const errors: FieldError[] = [];
    if (old.immutable) {
      if (!configMap.immutable) errors.push(forbidden('immutable', immutable));
      for (const field of ['data', 'binaryData'] as const)
        if (!equalJson(configMap[field] ?? {}, old[field] ?? {})) errors.push(forbidden(field, immutable));
    }
    return [...errors, ...validateConfigMap(configMap)];
  },
  table: {
    columns: configMapColumns,
    row: (object, context) => [
      nameOf(object),
      Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length,
      ageOf(object, context),
    ],
  },
};

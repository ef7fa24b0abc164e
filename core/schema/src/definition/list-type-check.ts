import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@tektite/meta';
import { append } from './append.ts';
import { itemSchema, itemSchemas, type RawSchema } from './raw-schema.ts';

export interface ListTypeOptions {
  readonly requireAtomicSets: boolean;
  readonly requireListMapKeys: boolean;
}

const noErrors: readonly FieldError[] = [];

/** Validates `x-kubernetes-list-type` and the keys of a list-map. */
export function checkListType(schema: RawSchema, path: FieldPath, options: ListTypeOptions): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined && schema['x-kubernetes-list-map-keys'] === undefined) return noErrors;
  const errors: FieldError[] = [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const typePath = path.child('x-kubernetes-list-type');
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    errors.push(schema.type ? invalid(path.child('type'), schema.type, detail) : required(path.child('type'), detail));
  } else if (options.requireAtomicSets && listType === 'set') append(errors, checkSetItems(schema, path));
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType))
    errors.push(notSupported(typePath, listType, ['atomic', 'set', 'map']));
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(typePath, detail) : invalid(typePath, listType, detail));
  }
  if (listType === 'map') append(errors, checkMapItems(schema, keys, path));
  if (options.requireListMapKeys) append(errors, checkListMapKeys(schema, path));
  return errors;
}

/** Whether a list of type set has elements that can be changed in part; such elements would lose their identity. */
export function hasNonAtomicSet(schema: RawSchema): boolean {
  return schema['x-kubernetes-list-type'] === 'set' && checkSetItems(schema, undefined).length > 0;
}

function checkSetItems(schema: RawSchema, path: FieldPath | undefined): FieldError[] {
  const items = itemSchema(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const at = (keyword: string) => path?.child('items', keyword) ?? '';
  const [listType, mapType] = [items?.['x-kubernetes-list-type'], items?.['x-kubernetes-map-type']];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(at('x-kubernetes-list-type'), listType, detail)];
  // The value upstream prints is that of the list type, whatever the map type is.
  if (items?.type === 'object' && mapType !== 'atomic') return [invalid(at('x-kubernetes-map-type'), listType, detail)];
  return [];
}

function checkMapItems(schema: RawSchema, keys: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = path.child('x-kubernetes-list-map-keys');
  const itemsPath = path.child('items');
  const items = itemSchema(schema);
  if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined)
    errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  if (itemSchemas(schema).length > 0)
    errors.push(invalid(itemsPath, schema.items, 'must only have a single schema if x-kubernetes-list-type is map'));
  if (!items) return errors;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(itemsPath.child('type'), items.type ?? '', detail)];
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object')
      errors.push(
        invalid(
          itemsPath.child('properties').key(key).child('type'),
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (seen.has(key)) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
  return errors;
}

/** Keys must always be there: required or with a default, and never null. */
export function checkListMapKeys(schema: RawSchema, path: FieldPath): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const items = itemSchema(schema);
  if (!items || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  const at = path.child('items');
  if (items.nullable)
    errors.push(forbidden(at.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === 'set') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property) continue;
    const keyPath = at.child('properties').key(key);
    if (!items.required?.includes(key) && (property.default === undefined || property.default === null))
      errors.push(
        required(
          keyPath.child('default'),
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    if (property.nullable)
      errors.push(
        forbidden(
          keyPath.child('nullable'),
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        ),
      );
  }
  return errors;
}

import { duplicate, type FieldError, type FieldPath, invalid, required, tooMany } from '@tektite/meta';
import { followPath } from '../cel/rule-path.ts';
import type { JsonSchema } from '../structural-schema.ts';
import type { SelectableField } from './custom-resource-definition.ts';

const maxFields = 8;

/** Validates selectable fields: each must lead to a scalar outside of metadata. */
export function checkSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchema | undefined,
  path: FieldPath,
): FieldError[] {
  if (!schema) return [invalid(path, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = path.index(index).child('jsonPath');
    if (!jsonPath) {
      errors.push(required(at));
      continue;
    }
    const target = followPath(jsonPath, schema, { arrayNotation: false });
    if (typeof target === 'string') {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${target}`));
      continue;
    }
    if (target.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(target.schema?.type ?? ''))
      errors.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    if (seen.has(target.path.toString())) errors.push(duplicate(at, jsonPath));
    seen.add(target.path.toString());
  }
  if (seen.size > maxFields) errors.push(tooMany(path, seen.size, maxFields));
  return errors;
}

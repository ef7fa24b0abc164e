import { type FieldError, type FieldPath, invalid, validateDns1035Label, required, utf8Length } from '@tektite/meta';
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  PrinterColumn,
} from './custom-resource-definition.ts';
import { append } from './append.ts';

/** Validates the names of a kind, as far as they are given. */
export function checkNames(names: Partial<CustomResourceDefinitionNames>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (at: FieldPath, name: string | undefined, text = name, prefix = '') => {
    const violations = name ? validateDns1035Label(name) : [];
    if (violations.length > 0) errors.push(invalid(at, text, prefix + violations.join(',')));
  };
  const mixedCase = 'may have mixed case, but should otherwise match: ';
  check(path.child('plural'), names.plural);
  check(path.child('singular'), names.singular);
  check(path.child('kind'), names.kind?.toLowerCase(), names.kind, mixedCase);
  check(path.child('listKind'), names.listKind?.toLowerCase(), names.listKind, mixedCase);
  names.shortNames?.forEach((name, index) => {
    checkListed(path.child('shortNames').index(index), name);
  });
  if (names.kind && names.kind === names.listKind)
    errors.push(invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same'));
  names.categories?.forEach((name, index) => {
    checkListed(path.child('categories').index(index), name);
  });
  return errors;

  function checkListed(at: FieldPath, name: string): void {
    const violations = validateDns1035Label(name);
    if (violations.length > 0) errors.push(invalid(at, name, violations.join(',')));
  }
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function checkColumn(column: PrinterColumn, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const typeWords = `must be one of ${columnTypes.join(',')}`;
  if (!column.name) errors.push(required(path.child('name')));
  if (!column.type) errors.push(required(path.child('type'), typeWords));
  else if (!columnTypes.includes(column.type)) errors.push(invalid(path.child('type'), column.type, typeWords));
  if (column.format && !columnFormats.includes(column.format))
    errors.push(invalid(path.child('format'), column.format, `must be one of ${columnFormats.join(',')}`));
  if (!column.jsonPath) errors.push(required(path.child('JSONPath')));
  else append(errors, checkJsonPath(column.jsonPath, path.child('JSONPath')));
  return errors;
}

function checkJsonPath(jsonPath: string, path: FieldPath): FieldError[] {
  return jsonPath.startsWith('.') ? [] : [invalid(path, jsonPath, 'must be a simple json path starting with .')];
}

export function checkSubresources(subresources: CustomResourceSubresources | undefined, path: FieldPath): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const check = (name: string, value: string | undefined, roots: readonly string[], words: string): FieldError[] => {
    const at = path.child(`scale.${name}`);
    if (!value) return name === 'labelSelectorPath' ? [] : [required(at)];
    const errors = checkJsonPath(value, at);
    if (errors.length > 0 || roots.some((root) => value.startsWith(root))) return errors;
    return [invalid(at, value, `should be a json path under ${words}`)];
  };
  return [
    ...check('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec'),
    ...check('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status'),
    ...check('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status'),
  ];
}

export function checkDeprecation(version: CustomResourceDefinitionVersion, path: FieldPath): FieldError[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  const at = path.child('deprecationWarning');
  if (!version.deprecated) return [invalid(at, warning, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (utf8Length(warning) > 256) errors.push(invalid(at, warning, 'must be <= 256 characters long'));
  if (warning === '') errors.push(invalid(at, warning, 'must not be an empty string'));
  const wrong = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (wrong >= 0) {
    const index = utf8Length(warning.slice(0, wrong));
    errors.push(
      invalid(
        at,
        warning,
        `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
      ),
    );
  }
  return errors;
}

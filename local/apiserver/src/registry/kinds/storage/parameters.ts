import {
  type FieldError,
  type FieldPath,
  invalid,
  validateQualifiedName,
  required,
  tooLong,
  utf8Length,
} from '@tektite/meta';
import { checkText } from '../field-checks.ts';

/** Rules that the classes of volumes share. */

const maxBytes = 256 * 1024;
const maxParameters = 512;

type Texts = Readonly<Record<string, string>>;

/** The driver or provisioner that makes volumes of a class; case does not matter. */
export function validateProvisioner(provisioner: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!provisioner) errors.push(required(path));
  else checkText(provisioner.toLowerCase(), validateQualifiedName, path, errors);
}

export function validateParameters(
  parameters: Texts = {},
  mayBeEmpty: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const keys = Object.keys(parameters);
  if (keys.length > maxParameters) {
    errors.push(tooLong(path, maxParameters));
    return;
  }
  if (keys.includes('')) errors.push(invalid(path, '', 'field can not be empty.'));
  if (sizeOf(parameters) > maxBytes) errors.push(tooLong(path, maxBytes));
  if (!mayBeEmpty && keys.length === 0) errors.push(required(path, 'must contain at least one key/value pair'));
}

/** How many bytes the keys and values of a map take. */
export function sizeOf(texts: Texts): number {
  return Object.entries(texts).reduce((size, [key, value]) => size + utf8Length(key) + utf8Length(value), 0);
}

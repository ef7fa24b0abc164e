import {
  equalJson,
  type FieldError,
  type FieldPath,
  invalid,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  notSupported,
  required,
} from '@tektite/meta';

/** Checks that many kinds share. All add what they find to `errors`. */

export function checkNonNegative(value: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, 'must be greater than or equal to 0'));
}

export function checkPositive(value: number, path: FieldPath, errors: FieldError[]): void {
  if (value <= 0) errors.push(invalid(path, value, 'must be greater than zero'));
}

export function checkRequired(value: string | undefined | null, path: FieldPath, errors: FieldError[]): void {
  if (!value) errors.push(required(path));
}

/** `print` gives the value as a message shows it, where that is not its wire form. */
export function checkImmutable(
  value: unknown,
  old: unknown,
  path: FieldPath,
  errors: FieldError[],
  print: (value: unknown) => unknown = (same) => same,
): void {
  if (!equalJson(value ?? undefined, old ?? undefined)) errors.push(invalid(path, print(value), 'field is immutable'));
}

/** Adds each violation that `rule` has about a text. */
export function checkText(
  value: string,
  rule: (value: string) => readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const violation of rule(value)) errors.push(invalid(path, value, violation));
}

export function checkDnsLabel(value: string, path: FieldPath, errors: FieldError[]): void {
  checkText(value, validateDns1123Label, path, errors);
}

export function checkDnsSubdomain(value: string, path: FieldPath, errors: FieldError[]): void {
  checkText(value, validateDns1123Subdomain, path, errors);
}

export function checkPortNumber(value: number, path: FieldPath, errors: FieldError[]): void {
  for (const violation of validatePortNumber(value)) errors.push(invalid(path, value, violation));
}

export function checkPortNumberOrName(value: number | string, path: FieldPath, errors: FieldError[]): void {
  if (typeof value === 'number') checkPortNumber(value, path, errors);
  else checkText(value, validatePortName, path, errors);
}

/** A value that must be one of a few; `supported` is in the order in which upstream lists it. */
export function checkSupported(
  value: string,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!supported.includes(value)) errors.push(notSupported(path, value, supported));
}

/** The same, for a field that defaulting fills in: empty means that it is missing. */
export function checkRequiredSupported(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!value) errors.push(required(path));
  else checkSupported(value, supported, path, errors);
}

/** An error whose value is not shown. */
export function invalidUnshown(path: FieldPath, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field: path.toString(), message: `Invalid value: ${detail}` };
}

const urlPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** `example.com/name`: a domain and a path. */
export function checkDomainPath(value: string, path: FieldPath, errors: FieldError[]): void {
  const slash = value.indexOf('/');
  if (value === '') errors.push(required(path));
  else if (slash <= 0 || slash === value.length - 1)
    errors.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  else {
    checkDnsSubdomain(value.slice(0, slash), path, errors);
    const rest = value.slice(slash + 1);
    if (!new RegExp(`^${urlPath}$`).test(rest))
      errors.push(invalid(path, rest, `Invalid path (regex used for validation is '${urlPath}')`));
  }
}

import {
  badRequestError,
  type FieldError,
  forbidden,
  invalid,
  invalidObjectError,
  notSupported,
  required,
} from '@tektite/meta';
import type { FieldValidation } from '../registry/resource.ts';

/** Query parameters of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** The options as an object, for admission. */
  readonly wire: Readonly<Record<string, unknown>>;
}

export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

/** Options that make no sense, as upstream reports them: an invalid object of the group `meta.k8s.io`. */
export function invalidOptionsError(kind: OptionsKind, errors: readonly FieldError[]): Error {
  return invalidObjectError('meta.k8s.io', kind, '', errors);
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

function checkWriteOptions(query: URLSearchParams): FieldError[] {
  const manager = query.get('fieldManager') ?? '';
  const errors = /^[ -~]{0,128}$/.test(manager) ? [] : checkManager(manager);
  errors.push(...checkDryRun(query.getAll('dryRun')));
  const validation = query.get('fieldValidation') ?? '';
  if (!fieldValidations.includes(validation))
    errors.push(notSupported('fieldValidation', validation, fieldValidations));
  return errors;
}

function checkManager(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (new TextEncoder().encode(manager).length > 128) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: 'Too long: may not be more than 128 bytes',
    });
  }
  for (const [index, char] of [...manager].entries()) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
      errors.push(
        invalid(
          'fieldManager',
          manager,
          `invalid character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} (at position ${index})`,
        ),
      );
      break;
    }
  }
  return errors;
}

export function checkDryRun(values: readonly string[]): FieldError[] {
  return values.some((value) => value !== 'All') ? [notSupported('dryRun', [...values], ['All'])] : [];
}

/** Reads the options of a create or an update; throws when they are invalid. */
export function parseWriteOptions(query: URLSearchParams, kind: 'CreateOptions' | 'UpdateOptions'): WriteOptions {
  const errors = checkWriteOptions(query);
  if (errors.length > 0) throw invalidOptionsError(kind, errors);
  return writeOptions(query, kind);
}

function writeOptions(query: URLSearchParams, kind: OptionsKind): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const dryRun = query.getAll('dryRun');
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    wire: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === '' ? {} : { fieldValidation }),
    },
  };
}

/** Reads the options of a patch. An apply must name its manager; only an apply may be forced. */
export function parsePatchOptions(query: URLSearchParams, isApply: boolean): PatchOptions {
  const errors: FieldError[] = [];
  const forceText = query.get('force');
  const force = forceText !== null && parseBoolean(forceText);
  if (isApply) {
    if ((query.get('fieldManager') ?? '') === '') errors.push(required('fieldManager', 'is required for apply patch'));
  } else if (forceText !== null) {
    errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...checkWriteOptions(query));
  if (errors.length > 0) throw invalidOptionsError('PatchOptions', errors);
  // Admission sees a patch as the update that it comes to.
  return { ...writeOptions(query, 'UpdateOptions'), force };
}

/** The values of Go's `strconv.ParseBool`; upstream reads any other text as true. */
export function parseBoolean(text: string): boolean {
  return !['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text);
}

/** An integer parameter; absent gives `undefined`. */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const refuse = (problem: string) => badRequestError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) throw refuse('value out of range');
  return Number(text);
}

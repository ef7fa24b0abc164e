import { defineErrors, type ErrorCode } from '@tektite/meta';

export const decodeErrors = defineErrors('go', 'DecodeError', {
  DECODE_FAILED: {
    when: 'a body, or a part of one, is nothing that Go could have decoded',
    fix: 'correct the body; the message is the one that Go gives',
  },
  TYPE_MISMATCH: {
    when: 'a value has another JSON type than its field',
    fix: 'correct the value of the field that the message names',
  },
  ENCODE_FAILED: {
    when: 'a value was decoded and cannot be printed',
    fix: 'correct the value that the message names',
  },
});

/** A body, or a part of one, that Go could not have decoded. The message is the one Go gives. */
export class DecodeError extends decodeErrors.Error {
  constructor(message: string, options?: ErrorOptions, code: ErrorCode<typeof decodeErrors> = 'DECODE_FAILED') {
    super(code, message, options);
  }
}

/** Whether `error` is a DecodeError, with one of these codes if any are given. */
export function isDecodeError(
  error: unknown,
  ...codes: readonly ErrorCode<typeof decodeErrors>[]
): error is DecodeError {
  return decodeErrors.is(error, ...codes);
}

/**
 * Go's text for a value of the wrong JSON type. `found` is the type that was found (see `jsonTypeName`), `field` the struct and the path
 * of the field: `DeploymentSpec.spec.replicas`. Without a field it is the whole value.
 */
export function mismatchText(found: string, goType: string, field = ''): string {
  const place = field === '' ? 'value' : `struct field ${field}`;
  return `json: cannot unmarshal ${found} into Go ${place} of type ${goType}`;
}

/** A value of the wrong JSON type. Kept in parts, because a decoder around it may put its own path in front. */
export class TypeMismatch extends DecodeError {
  override readonly name = 'TypeMismatch';
  /** The type that was found: `string`, `array`, `number 1.5`. */
  readonly found: string;
  readonly goType: string;
  /** The path of struct fields, embedded structs included; map keys and list indexes are not in it. */
  readonly field: string;

  /** `struct` is the name of the struct that has the field. */
  constructor(found: string, goType: string, struct: string, field: string) {
    super(
      mismatchText(found, goType, struct === '' && field === '' ? '' : `${struct}.${field}`),
      undefined,
      'TYPE_MISMATCH',
    );
    this.found = found;
    this.goType = goType;
    this.field = field;
  }
}

/** Whether `error` is a TypeMismatch. */
export function isTypeMismatch(error: unknown): error is TypeMismatch {
  return decodeErrors.is(error, 'TYPE_MISMATCH');
}

/** A value that was decoded and cannot be printed. Go reports it only when decoding succeeds. */
export class EncodeError extends DecodeError {
  override readonly name = 'EncodeError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options, 'ENCODE_FAILED');
  }
}

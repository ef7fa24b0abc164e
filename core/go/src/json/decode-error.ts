/** A body, or a part of one, that Go could not have decoded. The message is the one Go gives. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
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
      struct === '' && field === ''
        ? `json: cannot unmarshal ${found} into Go value of type ${goType}`
        : `json: cannot unmarshal ${found} into Go struct field ${struct}.${field} of type ${goType}`,
    );
    this.found = found;
    this.goType = goType;
    this.field = field;
  }
}

/** A value that was decoded and cannot be printed. Go reports it only when decoding succeeds. */
export class EncodeError extends DecodeError {
  override readonly name = 'EncodeError';
}

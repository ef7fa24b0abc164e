import type { DecodeState } from './decode-state.ts';

/**
 * Decodes values of one Go type and returns what encoding the result prints. `undefined` stands for nil: a nil list, map or
 * pointer.
 */
export interface ValueDecoder {
  /** `raw` is any JSON value, `null` included. A value of a wrong type is noted in `state` and gives the zero value. */
  decode(raw: unknown, state: DecodeState): unknown;
  /** The form in which Go's zero value is printed; a new one each time. A type without such a form notes that in `state`. */
  zero(state: DecodeState): unknown;
  /** Whether `omitempty` drops the value. It never drops a struct. */
  isEmpty(value: unknown): boolean;
}

export const never = (): false => false;

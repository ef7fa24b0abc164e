import type { DecodeState } from './decode-state.ts';

/**
 * Decodes values of one Go type and gives back what encoding the result would print. `undefined` stands for nil: a nil list, map or
 * pointer.
 */
export interface ValueDecoder {
  /** `raw` is any JSON value, `null` included. A value of a wrong type is noted in `state` and gives the zero value. */
  decode(raw: unknown, state: DecodeState): unknown;
  /** What Go's zero value prints as; a new one each time. */
  zero(): unknown;
  /** Whether `omitempty` drops the value. It never drops a struct. */
  isEmpty(value: unknown): boolean;
}

export const never = (): false => false;

import { DecodeState, type JsonDocument, structDecoder } from '@tektite/go';
import type { Definition } from '@tektite/schema/kubernetes';

/** An object as Go would print it after decoding, and what strict decoding has to say about the input. */
export interface DecodedObject {
  /** A new object; the caller may change it. */
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.foo"`, `duplicate field "data"`, in the order of the document. */
  readonly strictErrors: readonly string[];
}

/**
 * Decodes an object of a built-in type. Throws a DecodeError, with Go's message and nothing around it, for a value of a
 * wrong type, a quantity or time that is none, and the like.
 *
 * @example
 * decodeObject(kind.definition, { value: { spec: { replicas: '1' } }, hasNumberTexts: false })
 * // json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32
 */
export function decodeObject(definition: Definition, document: JsonDocument, { strict = true } = {}): DecodedObject {
  const state = new DecodeState(document, { strict });
  const object = structDecoder(definition).decode(document.value, state);
  if (state.saved) throw state.saved;
  const before = strict ? document.strictErrors : undefined;
  return { object, strictErrors: before ? [...before, ...state.strictErrors] : state.strictErrors };
}

/**
 * An object that the server itself built, as Go would print it: the counterpart of encoding a struct. Its fields that are
 * those of `old`, which is the outcome of this function, are taken as they are. Throws a DecodeError when it does not fit
 * the type.
 */
export function normalizeObject(definition: Definition, object: object, old?: object): Record<string, unknown> {
  const state = new DecodeState({ hasNumberTexts: false }, { stored: true });
  const normal = structDecoder(definition).decode(object, state, old);
  if (state.saved) throw state.saved;
  return normal;
}

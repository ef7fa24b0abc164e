import { type DecodeOptions, DecodeState } from './decode-state.ts';
import type { StructDefinition } from './go-type.ts';
import { structDecoder } from './type-decoder.ts';

/**
 * Decodes a value as Go's encoding/json does and prints the struct again: the object that a Go program sends back that
 * received this value. Throws a DecodeError with Go's message; an EncodeError for a value that cannot be printed.
 *
 * @example
 * decodeStruct(Step.definitionIn('v1'), { image: 'a', timeout: '90m' }) // { name: '', image: 'a', …, timeout: '1h30m0s' }
 */
export function decodeStruct(
  definition: StructDefinition,
  value: unknown,
  options: Omit<DecodeOptions, 'decoder' | 'stored'> = {},
): Record<string, unknown> {
  const state = new DecodeState({ hasNumberTexts: false }, { strict: true, ...options, decoder: 'encoding/json' });
  const result = structDecoder(definition).decode(value, state);
  state.throwFirst();
  return result;
}

/**
 * The fields of a resource that its struct does not have, as Kubernetes' decoder reports them: `unknown field
 * "spec.steps[0].foo"`, in the order of the document. The value is one that {@link decodeStruct} accepts.
 */
export function unknownFields(definition: StructDefinition, value: unknown): readonly string[] {
  const state = new DecodeState({ hasNumberTexts: false }, { strict: true, isResource: true });
  structDecoder(definition).decode(value, state);
  return state.strictErrors;
}

import { decodeStruct, isDecodeError } from '@tektite/go';
import { badRequestError, type KubeObject, type StatusError } from '@tektite/meta';
import type { StructKind } from '@tektite/schema/struct';

/**
 * The object as upstream's webhook has it after reading: names of fields in their proper case, values in their canonical form
 * (`90m` is `1h30m0s`, `5` is `"5"` where a text is wanted), what is always printed in place. Unknown fields are refused,
 * or get lost.
 *
 * Throws a {@link DecodeError}.
 */
export function decodeObject<T extends KubeObject>(
  kind: Pick<StructKind, 'struct'>,
  object: KubeObject,
  isStrict = true,
): T {
  const { apiVersion, kind: name } = object;
  const decoded = decodeStruct(kind.struct, object, { strict: isStrict, isResource: true });
  return { apiVersion, kind: name, ...decoded, metadata: object.metadata } as T;
}

/** The error for an object that cannot be decoded. `doing` is `mutation failed` or `decoding request failed`. */
export function undecodable(doing: string, which: 'new' | 'old', error: unknown): StatusError {
  if (!isDecodeError(error)) throw error;
  if (error.code === 'ENCODE_FAILED')
    return badRequestError(
      `${doing}: cannot create patch for round tripped newBytes: cannot marshal interface: ${error.message}`,
    );
  return badRequestError(`${doing}: cannot decode incoming ${which} object: ${error.message}`);
}

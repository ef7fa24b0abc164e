import { decodeStruct } from '@tektite/go';
import { go, type Struct } from '@tektite/schema/struct';
import type { JsonMap } from '../json/unmarshal.ts';
import { codes, fail, type InterceptorResponse } from './interceptor.ts';

export const secretRefField = go.pointer(
  go.struct('v1beta1.SecretRef', { secretKey: go.string(), secretName: go.string() }),
);

/** Reads the parameters of an interceptor into its struct. Unknown ones are ignored, and names may have any case. */
export function decodeParams<T>(
  struct: Struct<T>,
  params: JsonMap = {},
): { readonly params: T } | { readonly denied: InterceptorResponse } {
  try {
    return { params: decodeStruct(struct.definitionIn('v1beta1'), params, { strict: false }) as T };
  } catch (error) {
    const message = `failed to parse interceptor params: invalid json: ${(error as Error).message}`;
    return { denied: fail(codes.invalidArgument, message) };
  }
}

import { badRequestError } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { decodeJson } from '../codec/decode-json.ts';
import { mediaTypeOf } from './read-body.ts';
import type { RequestContext } from './request-context.ts';

/** The DeleteOptions in the body of a DELETE; `undefined` when there is none. Bodies of any group are understood. */
export function readDeleteBody({ request }: RequestContext): object | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  if (!(body instanceof Uint8Array)) return body;
  if (body.length === 0) return undefined;
  let value: unknown;
  try {
    const yaml = mediaTypeOf(request.headers['content-type']) === 'application/yaml';
    value = yaml ? parseYaml(new TextDecoder().decode(body))[0]?.value : decodeJson(body).value;
  } catch (error) {
    throw badRequestError((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequestError('json: cannot unmarshal into Go value of type v1.DeleteOptions');
  const { kind } = value as { kind?: string };
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions') {
    throw badRequestError(`decoded object cannot be converted to DeleteOptions: ${kind}`);
  }
  return value;
}

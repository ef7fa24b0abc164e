import { DecodeError, decodeJson, isDecodeError } from '@tektite/go';
import { badRequestError, formatApiVersion } from '@tektite/meta';
import { definitionOf } from '@tektite/schema/kubernetes';
import { parseYaml } from '@tektite/schema/yaml';
import { decodeObject } from '../codec/decode-object.ts';
import { decodeProtobuf } from '../codec/decode-protobuf.ts';
import { protobuf } from '../codec/media-type.ts';
import { readVersionKind } from '../codec/version-kind.ts';
import { mediaTypeOf, unsupportedMediaTypeError } from './read-body.ts';
import type { RequestContext } from './request-context.ts';

/** The DeleteOptions in the body of a DELETE; `undefined` when there is none. Bodies of any group are understood. */
export function readDeleteBody({ request }: RequestContext): object | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  if (!(body instanceof Uint8Array)) return body;
  if (body.length === 0) return undefined;
  let value: unknown;
  const media = mediaTypeOf(request.headers['content-type'] ?? mediaTypes[0]);
  if (!mediaTypes.includes(media)) throw unsupportedMediaTypeError(mediaTypes);
  try {
    value = parse(body, media);
  } catch (error) {
    throw badRequestError((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequestError('json: cannot unmarshal into Go value of type v1.DeleteOptions');
  try {
    const named = readVersionKind(value);
    if (named.kind === '' || named.kind === 'DeleteOptions')
      return decodeObject(definitionOf('meta/v1.DeleteOptions'), { value, hasNumberTexts: false }).object;
    throw new DecodeError(
      `no kind "${named.kind}" is registered for version "${formatApiVersion(named)}" in scheme "${scheme}"`,
    );
  } catch (error) {
    throw isDecodeError(error) ? badRequestError(error.message) : error;
  }
}

function parse(body: Uint8Array, media: string): unknown {
  if (media === protobuf) return decodeProtobuf(body);
  try {
    return media === 'application/yaml' ? parseYaml(new TextDecoder().decode(body))[0]?.value : decodeJson(body).value;
  } catch (error) {
    throw new DecodeError(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

const mediaTypes = ['application/json', 'application/yaml', protobuf];
const scheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

import { badRequestError } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { decodeJson } from '../codec/decode-json.ts';
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
    value = media === 'application/yaml' ? parseYaml(new TextDecoder().decode(body))[0]?.value : decodeJson(body).value;
  } catch (error) {
    throw badRequestError(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequestError('json: cannot unmarshal into Go value of type v1.DeleteOptions');
  const { kind, apiVersion = '' } = value as { kind?: string; apiVersion?: string };
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions')
    throw badRequestError(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
  checkTypes(value as Readonly<Record<string, unknown>>);
  return value;
}

const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const scheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

/** The fields of DeleteOptions: how JSON writes their type, and what Go calls it. */
const fieldTypes: Readonly<Record<string, readonly [json: string, go: string]>> = {
  gracePeriodSeconds: ['number', 'int64'],
  preconditions: ['object', 'v1.Preconditions'],
  orphanDependents: ['bool', 'bool'],
  propagationPolicy: ['string', 'v1.DeletionPropagation'],
  dryRun: ['array', '[]string'],
};

function checkTypes(options: Readonly<Record<string, unknown>>): void {
  for (const [field, [json, go]] of Object.entries(fieldTypes)) {
    const found = jsonTypeOf(options[field]);
    if (found !== undefined && found !== json)
      throw badRequestError(
        `json: cannot unmarshal ${found} into Go struct field DeleteOptions.${field} of type ${go}`,
      );
  }
}

function jsonTypeOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

import { MapValue, ListValue, Duration, Timestamp, Uint, type Value } from '@tektite/schema';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { evaluate } from '../cel/evaluate.ts';
import { eventValue } from '../cel/event-value.ts';
import { jsonOfValue } from '../cel/json-of-value.ts';
import { setPath } from '../json/set-path.ts';
import { type JsonMap, unmarshalMap } from '../json/unmarshal.ts';
import { decodeParams } from './decode-params.ts';
import { codes, fail, type Interceptor, proceed } from './interceptor.ts';

const paramFields = {
  filter: go.string(),
  overlays: go.list(go.struct('Overlay', { key: go.string(), expression: go.string() })),
};
interface CelParams extends StructValue<typeof paramFields> {}
const CelParams: Struct<CelParams> = go.struct('InterceptorParams', paramFields);

/** Lets events pass for which `filter` is true, and adds the values of `overlays` to the extensions. */
export const celInterceptor: Interceptor = async (request, secrets) => {
  const decoded = decodeParams(CelParams, request.interceptor_params);
  if ('denied' in decoded) return decoded.denied;
  const { filter = '', overlays = [] } = decoded.params;
  if (!request.context) return fail(codes.invalidArgument, 'no request context passed');
  let body: JsonMap;
  try {
    body = request.body ? unmarshalMap(request.body) : {};
  } catch (error) {
    const { message } = error as Error;
    return fail(
      codes.invalidArgument,
      `error making the evaluation context: failed to parse the body as JSON: ${message}`,
    );
  }
  const variables = {
    body: eventValue(body),
    header: eventValue(request.header ?? {}),
    extensions: eventValue(request.extensions ?? {}),
    requestURL: request.context.event_url ?? '',
  };
  const extensions: Record<string, unknown> = {};
  try {
    if (filter !== '' && (await evaluate(filter, variables, secrets)) !== true)
      return fail(codes.failedPrecondition, `expression ${filter} did not return true`);
    for (const { key = '', expression = '' } of overlays) {
      const value = await evaluate(expression, variables, secrets);
      const failure = addOverlay(extensions, key, value);
      if (failure !== undefined) return fail(codes.internal, failure);
    }
  } catch (error) {
    return fail(codes.invalidArgument, `error evaluating cel expression: ${(error as Error).message}`);
  }
  return Object.keys(extensions).length === 0 ? proceed : { ...proceed, extensions };
};

/** Returns what is wrong with the value or the key. */
function addOverlay(extensions: Record<string, unknown>, key: string, value: Value): string | undefined {
  try {
    const json = overlayJson(value);
    try {
      setPath(extensions, key, json);
      return undefined;
    } catch (error) {
      return `failed to sjson for key '${key}' to '${String(json)}': ${(error as Error).message}`;
    }
  } catch (error) {
    return `failed to convert overlay result to type: ${(error as Error).message}`;
  }
}

/** Values that JSON does not have, and null, cannot be overlays. */
function overlayJson(value: Value): unknown {
  const hasForm =
    (typeof value !== 'object' ||
      value instanceof Uint8Array ||
      value instanceof ListValue ||
      value instanceof MapValue) &&
    !(value instanceof Uint || value instanceof Timestamp || value instanceof Duration);
  if (value === null || !hasForm) throw new Error(`type conversion error from '${typeName(value)}' to '[]uint8'`);
  return jsonOfValue(value);
}

function typeName(value: Value): string {
  if (value === null) return 'null_type';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  return value instanceof Duration ? 'google.protobuf.Duration' : 'type';
}

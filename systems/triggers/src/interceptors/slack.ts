import { formatGoValue } from '@tektite/go';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { unmarshalMap } from '../json/unmarshal.ts';
import { decodeParams } from './decode-params.ts';
import { codes, fail, headerOf, type Interceptor, proceed } from './interceptor.ts';

const paramFields = { requestedFields: go.list(go.string()) };
interface SlackParams extends StructValue<typeof paramFields> {}
const SlackParams: Struct<SlackParams> = go.struct('InterceptorParams', paramFields);

const missingHeader = 'missing header in payload: ContentType application/x-www-form-urlencoded';

/** Adds fields of a form that Slack sends to the extensions. Upstream demands a signature and does not check it. */
export const slackInterceptor: Interceptor = async ({ header, body = '', interceptor_params }) => {
  if (headerOf(header, 'Content-Type') !== 'application/x-www-form-urlencoded')
    return fail(codes.invalidArgument, missingHeader);
  if (headerOf(header, 'X-Slack-Signature') === '') return fail(codes.invalidArgument, missingHeader);
  let form: Readonly<Record<string, unknown>>;
  try {
    form = unmarshalMap(body);
  } catch (error) {
    return fail(codes.invalidArgument, `failed to unmarshl slack payload: ${(error as Error).message}`);
  }
  const decoded = decodeParams(SlackParams, interceptor_params);
  if ('denied' in decoded) return decoded.denied;
  const { requestedFields = [] } = decoded.params;
  if (!Array.isArray(interceptor_params?.['requestedFields']))
    return fail(codes.notFound, 'missing requested field definition');
  const missing = requestedFields.some((field) => !Object.hasOwn(form, field));
  if (missing) return fail(codes.notFound, `requested field does not exists in payload ${formatGoValue(form)}`);
  return { ...proceed, extensions: Object.fromEntries(requestedFields.map((field) => [field, form[field]])) };
};

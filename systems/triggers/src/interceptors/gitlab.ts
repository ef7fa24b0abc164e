import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { decodeParams, secretRefField } from './decode-params.ts';
import { codes, denyEventType, fail, headerOf, type Interceptor, proceed } from './interceptor.ts';
import { isSameSecret } from './signature.ts';

const paramFields = { secretRef: secretRefField, eventTypes: go.list(go.string()) };
export interface SecretParams extends StructValue<typeof paramFields> {}
/** The parameters of interceptors that check a secret and the type of the event. */
export const SecretParams: Struct<SecretParams> = go.struct('InterceptorParams', paramFields);

/** Checks the type of an event and the token that GitLab sends. */
export const gitlabInterceptor: Interceptor = async ({ header, interceptor_params, context }, secrets) => {
  const decoded = decodeParams(SecretParams, interceptor_params);
  if ('denied' in decoded) return decoded.denied;
  const { secretRef } = decoded.params;
  const denied = denyEventType(interceptor_params, headerOf(header, 'X-Gitlab-Event'));
  if (denied) return denied;
  if (!secretRef) return proceed;
  if ((secretRef.secretKey ?? '') === '')
    return fail(codes.failedPrecondition, 'gitlab interceptor secretRef.secretKey is empty');
  const token = headerOf(header, 'X-Gitlab-Token');
  if (token === '') return fail(codes.invalidArgument, 'no X-Gitlab-Token header set');
  if (!context) return fail(codes.invalidArgument, 'no request context passed');
  let secret: Uint8Array;
  try {
    secret = await secrets(secretRef);
  } catch (error) {
    return fail(codes.failedPrecondition, `error getting secret: ${(error as Error).message}`);
  }
  return isSameSecret(token, secret) ? proceed : fail(codes.invalidArgument, 'Invalid X-GitLab-Token');
};

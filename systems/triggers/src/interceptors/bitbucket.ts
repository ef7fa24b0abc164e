import { decodeParams } from './decode-params.ts';
import { SecretParams } from './gitlab.ts';
import { codes, denyEventType, fail, headerOf, type Interceptor, proceed } from './interceptor.ts';
import { signatureError } from './signature.ts';

/** Checks the type of an event and the signature that Bitbucket sends. */
export const bitbucketInterceptor: Interceptor = async (request, secrets) => {
  const { header, body = '', context } = request;
  const decoded = decodeParams(SecretParams, request.interceptor_params);
  if ('denied' in decoded) return decoded.denied;
  const { secretRef } = decoded.params;
  const denied = denyEventType(request.interceptor_params, headerOf(header, 'X-Event-Key'));
  if (denied) return denied;
  if (!secretRef) return proceed;
  if ((secretRef.secretKey ?? '') === '')
    return fail(codes.failedPrecondition, 'bitbucket interceptor secretRef.secretKey is empty');
  const signature = headerOf(header, 'X-Hub-Signature');
  if (signature === '') return fail(codes.invalidArgument, 'no X-Hub-Signature header set');
  if (!context) return fail(codes.invalidArgument, 'no request context passed');
  try {
    const error = signatureError(signature, body, await secrets(secretRef));
    if (error === undefined) return proceed;
    return fail(codes.failedPrecondition, `error validating signature: ${error}`);
  } catch (error) {
    return fail(codes.failedPrecondition, `error getting secret: ${(error as Error).message}`);
  }
};

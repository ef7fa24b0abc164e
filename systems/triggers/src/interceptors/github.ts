import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import type { SecretReader, SecretRef } from '../secrets/secret-reader.ts';
import { decodeParams, secretRefField } from './decode-params.ts';
import { GitHubApi, type GitHubFetch, gitHubFetch } from './github-api.ts';
import { checkOwners } from './github-owners.ts';
import { changedFilesPayload } from './github-payload.ts';
import {
  codes,
  denyEventType,
  fail,
  headerOf,
  type Interceptor,
  type InterceptorRequest,
  type InterceptorResponse,
  proceed,
} from './interceptor.ts';
import { signatureError } from './signature.ts';

const paramFields = {
  secretRef: secretRefField,
  eventTypes: go.list(go.string()),
  addChangedFiles: go.struct('AddChangedFiles', { enabled: go.bool(), personalAccessToken: secretRefField }),
  githubOwners: go.struct('Owners', {
    enabled: go.bool(),
    personalAccessToken: secretRefField,
    checkType: go.string('github.CheckType'),
  }),
};
export interface GitHubParams extends StructValue<typeof paramFields> {}
const GitHubParams: Struct<GitHubParams> = go.struct('InterceptorParams', paramFields);

const precondition = (message: string) => fail(codes.failedPrecondition, message);

/** Checks the type of an event and its signature; on demand lists the changed files, or checks the sender. */
export function githubInterceptor(fetch: GitHubFetch = gitHubFetch): Interceptor {
  return async (request, secrets) => {
    const { header } = request;
    if (headerOf(header, 'Content-Type') === 'application/x-www-form-urlencoded')
      return fail(
        codes.invalidArgument,
        'form parameter encoding not supported, please change the hook to send JSON payloads',
      );
    const decoded = decodeParams(GitHubParams, request.interceptor_params);
    if ('denied' in decoded) return decoded.denied;
    const { params } = decoded;
    const event = headerOf(header, 'X-Github-Event');
    const denied = denyEventType(request.interceptor_params, event) ?? (await checkSignature(params, request, secrets));
    if (denied) return denied;
    if (params.addChangedFiles?.enabled) return addChangedFiles(params, event, request, secrets, fetch);
    if (!params.githubOwners?.enabled || !['pull_request', 'issue_comment'].includes(event)) return proceed;
    return owners(params, event, request, secrets, fetch);
  };
}

async function checkSignature(
  { secretRef }: GitHubParams,
  { header, body = '', context }: InterceptorRequest,
  secrets: SecretReader,
): Promise<InterceptorResponse | undefined> {
  if (!secretRef) return undefined;
  if ((secretRef.secretKey ?? '') === '') return precondition('github interceptor secretRef.secretKey is empty');
  const signature = headerOf(header, 'X-Hub-Signature-256');
  if (signature === '') return precondition('no X-Hub-Signature-256 header set');
  if (!context) return fail(codes.invalidArgument, 'no request context passed');
  try {
    const error = signatureError(signature, body, await secrets(secretRef));
    return error === undefined ? undefined : precondition(error);
  } catch (error) {
    return precondition(`error getting secret: ${(error as Error).message}`);
  }
}

async function addChangedFiles(
  { secretRef, addChangedFiles: { personalAccessToken } = {} }: GitHubParams,
  event: string,
  { header, body = '', context }: InterceptorRequest,
  secrets: SecretReader,
  fetch: GitHubFetch,
): Promise<InterceptorResponse> {
  if (event !== 'pull_request' && event !== 'push') return proceed;
  if (!context) return fail(codes.invalidArgument, 'no request context passed');
  const token = await tokenOf(personalAccessToken, 'githubToken', secrets);
  if (token instanceof Error) return precondition(`error getting secret: ${token.message}`);
  let doing = 'parsing body';
  try {
    const payload = changedFilesPayload(body, event);
    if (event === 'push') return { ...proceed, extensions: { changed_files: payload.files } };
    doing = 'getting changed files';
    const api = new GitHubApi(hostOf(header, token, secretRef), token, fetch);
    return { ...proceed, extensions: { changed_files: (await api.changedFiles(payload)).join(',') } };
  } catch (error) {
    return precondition(`error ${doing}: ${(error as Error).message}`);
  }
}

async function owners(
  { secretRef, githubOwners: { personalAccessToken, checkType = '' } = {} }: GitHubParams,
  event: string,
  { header, body = '' }: InterceptorRequest,
  secrets: SecretReader,
  fetch: GitHubFetch,
): Promise<InterceptorResponse> {
  const token = await tokenOf(personalAccessToken, 'personalAccessToken', secrets);
  if (token instanceof Error) return precondition(`error getting github token: ${token.message}`);
  if (token === '' && checkType !== 'none')
    return precondition('checkType is set to check org or repo members but no personalAccessToken was supplied');
  try {
    const api = new GitHubApi(hostOf(header, token, secretRef), token, fetch);
    return (await checkOwners(body, event, checkType, api))
      ? proceed
      : precondition('owners check requirements not met');
  } catch (error) {
    return precondition((error as Error).message);
  }
}

/**
 * The host of a GitHub Enterprise Server that an event names. The token goes there, so only events whose signature is
 * checked may name one; upstream believes any sender.
 */
function hostOf(header: InterceptorRequest['header'], token: string, secretRef: SecretRef | undefined): string {
  const host = headerOf(header, 'X-Github-Enterprise-Host');
  if (host !== '' && token !== '' && secretRef === undefined)
    throw new Error(`the token is not sent to ${host}: set secretRef, so that events are checked`);
  return host;
}

async function tokenOf(ref: SecretRef | undefined, name: string, secrets: SecretReader): Promise<string | Error> {
  if (!ref) return '';
  if ((ref.secretKey ?? '') === '') return new Error(`github interceptor ${name}.secretKey is empty`);
  return secrets(ref).then(
    (secret) => Buffer.from(secret).toString(),
    (error: unknown) => error as Error,
  );
}

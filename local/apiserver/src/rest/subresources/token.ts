import {
  badRequestError,
  conflictError,
  type FieldError,
  formatTime,
  invalid,
  invalidObjectError,
  type KubeObject,
  notFoundError,
  quoteGo,
} from '@tektite/meta';
import type { Pod, TokenRequest } from '@tektite/schema/kubernetes';
import { type BoundObject, type ServiceAccountTokens, tokenIssuer } from '../../auth/service-account-tokens.ts';
import { negotiateMedia } from '../../request/negotiate.ts';
import { parseWriteOptions } from '../../request/options.ts';
import type { RequestContext } from '../request-context.ts';
import type { RestParts, SubresourceHandler } from '../resource-handler.ts';
import { reviewAction } from './review-action.ts';
import { bodyManagers, readTypedBody } from './typed-body.ts';

const tokenRequest = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const minSeconds = 600;
const maxSeconds = 2 ** 32;
const defaultSeconds = 3600;

/** `POST serviceaccounts/NAME/token`: a token to act as that account. */
export function tokenHandler(parts: RestParts, tokens: ServiceAccountTokens): SubresourceHandler {
  return async (context, resource) => {
    const { info, request } = context;
    const options = parseWriteOptions(request.query, 'CreateOptions');
    const media = negotiateMedia(context.request.headers.accept);
    const wanted = readTypedBody<TokenRequest>(context, tokenRequest);
    checkPlace(info, wanted);
    const account = await parts.objects.get(resource, info.namespace, info.name);
    const body = await reviewAction(parts, context, {
      resource,
      kind: tokenRequest,
      name: info.name,
      body: completeRequest(context, wanted, account, formatTime(parts.clock.now())),
      dryRun: options.dryRun,
      options: options.wire,
    });
    const audiences = body.spec?.audiences ?? [];
    const expirationSeconds = Number(body.spec?.expirationSeconds ?? defaultSeconds);
    checkExpiration(expirationSeconds);
    const reference = body.spec?.boundObjectRef ?? undefined;
    const bound = reference ? findBound(parts, info, reference) : undefined;
    const { token, expires } = await tokens.issue(account, {
      audiences,
      expirationSeconds,
      ...(bound ? { bound } : {}),
    });
    const object = {
      ...body,
      spec: { ...body.spec, boundObjectRef: reference ? { ...reference, ...(bound ? { uid: bound.uid } : {}) } : null },
      status: { token, expirationTimestamp: formatTime(expires) },
    };
    return { code: 201, type: 'object', media, object };
  };
}

/** The request with what the account and the server add to it, as admission sees it. */
function completeRequest(
  context: RequestContext,
  wanted: TokenRequest,
  account: KubeObject,
  now: string,
): TokenRequest {
  const expirationSeconds = Number(wanted.spec?.expirationSeconds || defaultSeconds);
  const defaulted = { ...wanted, spec: { ...wanted.spec, expirationSeconds } };
  const managedFields = bodyManagers(context, tokenRequest, defaulted as KubeObject, now, 'token');
  const { name, namespace, uid } = account.metadata;
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: now, ...(managedFields ? { managedFields } : {}) },
    spec: {
      audiences: wanted.spec?.audiences?.length ? wanted.spec.audiences : [tokenIssuer],
      expirationSeconds,
      boundObjectRef: wanted.spec?.boundObjectRef ?? null,
    },
    status: { token: '', expirationTimestamp: null },
  } as unknown as TokenRequest;
}

/** A request that names an account names the one of the path. */
function checkPlace(info: RequestContext['info'], { metadata = {} }: TokenRequest): void {
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== info.namespace)
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  if ((metadata.name ?? '') !== '' && metadata.name !== info.name) {
    const error = invalid('metadata.name', metadata.name, 'must match the service account name if specified');
    throw invalidObjectError('authentication.k8s.io', 'TokenRequest', info.name, [error]);
  }
}

function checkExpiration(seconds: number): void {
  const errors: FieldError[] = [];
  if (seconds < minSeconds)
    errors.push(invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > maxSeconds)
    errors.push(invalid('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (errors.length > 0) throw invalidObjectError('authentication.k8s.io', 'TokenRequest', '', errors);
}

interface Reference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

const bindable: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

function findBound(
  parts: RestParts,
  { namespace, name: account }: RequestContext['info'],
  { kind = '', apiVersion = '', name = '', uid = '' }: Reference,
): BoundObject {
  const plural = apiVersion.includes('/') ? undefined : bindable[kind];
  if (plural === undefined) {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequestError(`cannot bind token to object of type ${version}, Kind=${kind}`);
  }
  const entry = parts.storage.get(`/registry/${plural}/${kind === 'Node' ? '' : `${namespace}/`}${name}`);
  if (!entry) throw notFoundError({ group: '', resource: plural }, name);
  // A TokenReview reports the Pod of a token.
  if (kind === 'Pod' && account !== ((entry.value as Pod).spec?.serviceAccountName || 'default'))
    throw badRequestError(
      `cannot bind token for serviceaccount ${quoteGo(account)} to pod running with different serviceaccount name.`,
    );
  const actual = entry.value.metadata.uid ?? '';
  if (uid !== '' && uid !== actual) {
    throw conflictError(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const node = kind === 'Pod' ? nodeOf(parts, entry.value as Pod) : undefined;
  return { kind: kind as BoundObject['kind'], name, uid: actual, ...(node ? { node } : {}) };
}

/** The node of a Pod; without its uid where the node is not registered. */
function nodeOf({ storage }: RestParts, { spec }: Pod): BoundObject['node'] {
  if (!spec?.nodeName) return undefined;
  const uid = storage.get(`/registry/nodes/${spec.nodeName}`)?.value.metadata.uid;
  return { name: spec.nodeName, ...(uid ? { uid } : {}) };
}

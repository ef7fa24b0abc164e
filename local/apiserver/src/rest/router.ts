import { unknownPathError, isStatusError } from '@tektite/meta';
import type { Aggregator } from '../aggregation/aggregator.ts';
import type { AuditedRequest } from '../audit/auditor.ts';
import type { AuthenticatorChain } from '../auth/authenticator.ts';
import { type Authorizer, attributesOf, forbiddenRequestError } from '../auth/authorizer.ts';
import { impersonate } from '../auth/impersonation.ts';
import { Discovery, notFoundPage } from '../discovery/discovery.ts';
import type { ServiceAccountTokens } from '../auth/service-account-tokens.ts';
import { answerIssuerDiscovery } from '../discovery/issuer-discovery.ts';
import { answerHealth } from '../discovery/health.ts';
import { answerVersion } from '../discovery/version.ts';
import type { FlowController } from '../flow-control/flow-controller.ts';
import { OpenApi } from '../openapi/open-api.ts';
import type { ResourceTable } from '../registry/resource-table.ts';
import type { Storage } from '../storage/storage.ts';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { ApiResponse } from '../request/api-response.ts';
import type { RequestContext } from './request-context.ts';
import { parseRequestInfo, selectedFields, selectedName, splitPath } from '../request/request-info.ts';
import type { ResourceMetrics } from './resource-metrics.ts';
import { methodNotAllowedError, type ResourceHandler } from './resource-handler.ts';

export interface RouterParts {
  readonly storage: Storage;
  readonly resources: ResourceTable;
  readonly authenticators: AuthenticatorChain;
  readonly authorizer: Authorizer;
  readonly handler: ResourceHandler;
  readonly aggregator: Aggregator;
  readonly metrics: ResourceMetrics;
  readonly flowController: FlowController;
  readonly tokens: ServiceAccountTokens;
  /** Resources that are only asked, never stored, by `plural.group`. */
  readonly reviews: ReadonlyMap<string, (context: RequestContext) => Promise<ApiResponse>>;
}

/** Where `tektite compact` sends its request. */
export const compactPath = '/tektite/compact';

/**
 * Routes a request through authentication, impersonation and authorization, in upstream's order, to its handler.
 * Failures are thrown as StatusErrors.
 */
export class Router {
  private readonly parts: RouterParts;
  private readonly discovery: Discovery;
  private readonly openApi: OpenApi;

  constructor(parts: RouterParts) {
    this.parts = parts;
    const remotes = () => {
      const versions = parts.aggregator.versions();
      const own = parts.metrics.versions().filter(({ group, version }) => !parts.aggregator.has(group, version));
      return [...versions, ...own];
    };
    this.discovery = new Discovery(parts.resources, remotes);
    this.openApi = new OpenApi(parts.resources, remotes);
  }

  /** Through the doors, whatever the request brings along: who sends it, and what it is about. */
  async admit(request: ApiRequest, audited?: AuditedRequest): Promise<Pick<RequestContext, 'info' | 'user'>> {
    const { authenticators, authorizer } = this.parts;
    const info = parseRequestInfo(request.method, request.path, request.query);
    let authenticated: UserInfo;
    try {
      authenticated = await authenticators.authenticate(request);
    } catch (error) {
      if (isStatusError(error, 'Unauthorized')) audited?.unauthenticated(info);
      throw error;
    }
    request.onAuthenticated?.(authenticated.name);
    const user = impersonate(request, authenticated, info, authorizer);
    const fieldSelector = selectedFields(info, request.query);
    const attributes = {
      ...attributesOf(user, { ...info, name: info.name || selectedName(info, fieldSelector) }),
      ...(fieldSelector.length === 0 ? {} : { fieldSelector }),
    };
    const { allowed, reason } = authorizer.authorize(attributes);
    audited?.authorized({ info, user, authenticated, allowed, reason });
    if (!allowed) throw forbiddenRequestError(attributes, reason);
    return { info, user };
  }

  async route(request: ApiRequest, warnings: Set<string>, audited?: AuditedRequest): Promise<ApiResponse> {
    const { info, user } = await this.admit(request, audited);
    const context: RequestContext = {
      request,
      info,
      user,
      warnings,
      ...(audited ? { annotate: audited.annotate } : {}),
    };
    // Controllers of this process hold what they send in memory anyway.
    const entered = request.user ? undefined : this.parts.flowController.enter(user, info, request.signal);
    if (!entered) return this.dispatch(context);
    using seat = entered instanceof Promise ? await entered : entered;
    const response = await this.dispatch(context);
    return {
      ...response,
      headers: {
        ...response.headers,
        'x-kubernetes-pf-flowschema-uid': seat.flowSchemaUid,
        'x-kubernetes-pf-prioritylevel-uid': seat.priorityLevelUid,
      },
    };
  }

  private async dispatch(context: RequestContext): Promise<ApiResponse> {
    const { request, info, user, warnings } = context;
    const { resources } = this.parts;
    const remote = remoteVersion(request.path);
    if (remote && this.parts.aggregator.has(...remote)) return this.parts.aggregator.proxy(...remote, request, user);
    if (remote && this.parts.metrics.has(...remote)) return this.parts.metrics.answer(context);
    if (!info.isResourceRequest) return this.answerPath(context);
    const resource = resources.find(info.group, info.version, info.resource);
    if (!resource) {
      if (info.group !== '' && isForeign(resources, info.group)) return notFoundPage;
      throw unknownPathError();
    }
    if (resource.deprecationWarning) warnings.add(resource.deprecationWarning);
    const review = this.parts.reviews.get(`${resource.plural}.${resource.group}`);
    if (review) {
      if (info.verb !== 'create' || info.name !== '') throw methodNotAllowedError();
      return review(context);
    }
    try {
      return await this.parts.handler.handle(context, resource);
    } catch (error) {
      // Media types are refused before a resource is looked at.
      if (isMediaError(error)) warnings.delete(resource.deprecationWarning ?? '');
      throw error;
    }
  }

  private async answerPath({ request }: RequestContext): Promise<ApiResponse> {
    const segments = splitPath(request.path);
    if (request.path === compactPath) return this.compact(request);
    const health = answerHealth(segments, request.query, this.parts.storage.problem);
    if (health) return health;
    if (!isReading(request) && isDiscovery(segments)) throw methodNotAllowedError();
    if (segments[0] === 'version' && segments.length === 1) return answerVersion();
    const issuer = isReading(request) ? await answerIssuerDiscovery(request.path, this.parts.tokens) : undefined;
    if (issuer) return issuer;
    const openApi = await this.openApi.answer(segments, request.headers.accept, request.query);
    if (openApi) return openApi;
    return this.discovery.answer(segments, request.headers.accept, request.headers.host ?? '') ?? notFoundPage;
  }

  /** Forgets the past on demand; only those who may do everything reach this path. */
  private async compact(request: ApiRequest): Promise<ApiResponse> {
    if (request.method !== 'POST') throw methodNotAllowedError();
    const { storage } = this.parts;
    const { revision } = storage;
    await storage.compact(revision);
    return { code: 200, type: 'object', media: 'json', object: { compactedRevision: revision } };
  }
}

/** The group and version that a path belongs to: of resources, discovery, or their OpenAPI document. */
function remoteVersion(path: string): [group: string, version: string] | undefined {
  const [, group, version] = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return group === undefined || version === undefined ? undefined : [group, version];
}

function isReading({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The path of one group takes any method upstream; the others do not. */
function isDiscovery(segments: readonly string[]): boolean {
  const [first] = segments;
  return first === 'api' || first === 'version' || (first === 'apis' && segments.length !== 2);
}

/** Unknown groups and groups of CRDs are answered by another part of upstream than built-in ones, with a plain page. */
function isForeign(resources: ResourceTable, group: string): boolean {
  const entry = resources.group(group);
  return !entry || entry.versions.every((version) => version.resources.every(({ custom }) => custom));
}

function isMediaError(error: unknown): boolean {
  return isStatusError(error, 'UnsupportedMediaType') || (isStatusError(error) && error.code === 406);
}

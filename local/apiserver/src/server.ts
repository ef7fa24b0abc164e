import {
  type Clock,
  internalServerError,
  isStatusError,
  type Random,
  type StatusError,
  systemClock,
  systemRandom,
  tooManyRequestsError,
  unknownPathError,
} from '@tektite/meta';
import { AdmissionChain, type AdmissionPlugin } from './admission/admission.ts';
import { builtinPlugins } from './admission/plugins/index.ts';
import { AuthenticatorChain, type Authenticator } from './auth/authenticator.ts';
import { type Authorizer, attributesOf, forbiddenRequestError } from './auth/authorizer.ts';
import { DefinitionController } from './crd/definition-controller.ts';
import { Discovery, notFoundPage } from './discovery/discovery.ts';
import { answerHealth } from './discovery/health.ts';
import { answerVersion } from './discovery/version.ts';
import { bootstrap } from './registry/bootstrap.ts';
import { builtinResources } from './registry/builtin-resources.ts';
import { ObjectDeleter } from './registry/object-deleter.ts';
import { ObjectStore } from './registry/object-store.ts';
import { ServiceAddresses } from './registry/service-addresses.ts';
import { ResourceTable } from './registry/resource-table.ts';
import type { ApiRequest, ApiResponse } from './rest/api-request.ts';
import { parseRequestInfo, splitPath } from './rest/request-info.ts';
import type { RequestContext } from './rest/request-context.ts';
import { methodNotAllowedError, ResourceHandler, type RestParts } from './rest/resource-handler.ts';
import { subresourceHandlers } from './rest/subresources/index.ts';
import { RevisionStore } from './storage/revision-store.ts';
import type { Storage } from './storage/storage.ts';

export interface ApiServerOptions {
  /** Default: in memory. */
  readonly storage?: Storage;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly authenticators?: readonly Authenticator[];
  readonly authorizer?: Authorizer;
  /** Hooks of our own systems, after the built-in plugins. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Built-in plugins to leave out, by name. */
  readonly disabledAdmissionPlugins?: readonly string[];
  /** Requests under way at once, watches not counted; more are answered 429. Default 400. */
  readonly maxInFlight?: number;
  /** Told of failures that are the server's own fault. Never given request bodies. */
  readonly onError?: (error: unknown, request: ApiRequest | undefined) => void;
}

/** Where `tektite compact` sends its request. */
export const compactPath = '/tektite/compact';

/**
 * The API server without a network: requests in, answers out. Put {@link serveHttps} in front of it for clients of other
 * processes.
 */
export class ApiServer {
  readonly storage: Storage;
  readonly resources = new ResourceTable();
  readonly clock: Clock;
  readonly objects: ObjectStore;
  private readonly authenticators: AuthenticatorChain;
  private readonly authorizer: Authorizer | undefined;
  private readonly discovery: Discovery;
  private readonly handler: ResourceHandler;
  private readonly definitions: DefinitionController;
  private readonly maxInFlight: number;
  private readonly onError: (error: unknown, request: ApiRequest | undefined) => void;
  private inFlight = 0;

  /** A server with the objects in place that every cluster has. */
  static async create(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await bootstrap(server, []);
    return server;
  }

  private constructor(options: ApiServerOptions) {
    this.storage = options.storage ?? new RevisionStore();
    this.clock = options.clock ?? systemClock;
    const random = options.random ?? systemRandom;
    this.maxInFlight = options.maxInFlight ?? 400;
    this.onError = options.onError ?? (() => {});
    this.authenticators = new AuthenticatorChain(options.authenticators ?? []);
    this.authorizer = options.authorizer;
    for (const resource of builtinResources()) this.resources.add(resource);
    this.discovery = new Discovery(this.resources);
    const { storage, clock } = this;
    const disabled = new Set(options.disabledAdmissionPlugins);
    const admission = new AdmissionChain([
      ...builtinPlugins(storage).filter(({ name }) => !disabled.has(name)),
      ...(options.admission ?? []),
    ]);
    this.objects = new ObjectStore({
      storage,
      admission,
      clock,
      random,
      sideEffects: new ServiceAddresses(storage, random),
    });
    const { objects } = this;
    const deleter = new ObjectDeleter({ storage, objects, admission, clock });
    this.definitions = new DefinitionController({
      storage,
      objects,
      deleter,
      resources: this.resources,
      clock,
      onError: (error) => this.onError(error, undefined),
    });
    this.definitions.start();
    const rest: RestParts = { storage, objects, deleter, clock };
    this.handler = new ResourceHandler(rest, subresourceHandlers(rest, this.resources));
  }

  /** Answers a request. Never rejects: failures are answers too. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const warnings = new Set<string>();
    let response: ApiResponse;
    if (this.inFlight >= this.maxInFlight) {
      return statusResponse(tooManyRequestsError('Too many requests, please try again later.', 1));
    }
    this.inFlight++;
    try {
      response = await this.route(request, warnings);
    } catch (error) {
      response = this.failure(error, request);
    } finally {
      this.inFlight--;
    }
    return warnings.size === 0
      ? response
      : { ...response, headers: { ...response.headers, warning: [...warnings].map(formatWarning) } };
  }

  async close(): Promise<void> {
    await this.definitions.stop();
    await this.storage.close();
  }

  private async route(request: ApiRequest, warnings: Set<string>): Promise<ApiResponse> {
    const info = parseRequestInfo(request.method, request.path, request.query);
    const user = await this.authenticators.authenticate(request);
    const attributes = attributesOf(user, info);
    const decision = this.authorizer?.authorize(attributes);
    if (decision && !decision.allowed) throw forbiddenRequestError(attributes);
    const context: RequestContext = { request, info, user, warnings };
    if (!info.isResourceRequest) return this.answerPath(context);
    const resource = this.resources.find(info.group, info.version, info.resource);
    if (!resource) {
      if (info.group !== '' && !this.resources.group(info.group)) return notFoundPage;
      throw unknownPathError();
    }
    if (resource.deprecationWarning) warnings.add(resource.deprecationWarning);
    return this.handler.handle(context, resource);
  }

  private async answerPath({ request }: RequestContext): Promise<ApiResponse> {
    const segments = splitPath(request.path);
    if (request.path === compactPath) return this.compact(request);
    const health = answerHealth(segments, request.query);
    if (health) return health;
    const isDiscovery = segments[0] === 'api' || segments[0] === 'apis' || segments[0] === 'version';
    if (
      isDiscovery &&
      request.method !== 'GET' &&
      request.method !== 'HEAD' &&
      !(segments[0] === 'apis' && segments.length === 2)
    )
      throw methodNotAllowedError();
    if (segments[0] === 'version' && segments.length === 1) return answerVersion();
    return this.discovery.answer(segments, request.headers.accept, request.headers.host ?? '') ?? notFoundPage;
  }

  /** Forgets the past on demand; only those who may do everything reach this path. */
  private async compact(request: ApiRequest): Promise<ApiResponse> {
    if (request.method !== 'POST') throw methodNotAllowedError();
    const { revision } = this.storage;
    await this.storage.compact(revision);
    return { code: 200, type: 'object', media: 'json', object: { compactedRevision: revision } };
  }

  private failure(error: unknown, request: ApiRequest): ApiResponse {
    if (isStatusError(error)) return statusResponse(error);
    this.onError(error, request);
    return statusResponse(internalServerError('unexpected failure; the server log has the details', error));
  }
}

function statusResponse(error: StatusError): ApiResponse {
  const retryAfter = error.status.details?.retryAfterSeconds;
  return {
    code: error.code,
    type: 'object',
    media: 'json',
    object: error.status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  };
}

/** A `Warning` header as RFC 7234 has it, with the code that means "miscellaneous, persistent". */
function formatWarning(text: string): string {
  return `299 - "${text.replaceAll(/[\\"]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ')}"`;
}

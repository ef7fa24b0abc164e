import {
  type Clock,
  cloneJson,
  formatTime,
  insufficientStorageError,
  serviceUnavailableError,
  internalServerError,
  isStatusError,
  type KubeObject,
  parseApiVersion,
  type Random,
  type StatusError,
  systemClock,
  systemRandom,
  tooManyRequestsError,
  unknownPathError,
} from '@tektite/meta';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import type { AdmissionPlugin } from './admission/admission.ts';
import { type Admission, createAdmission } from './admission/create-admission.ts';
import type { Dial } from './admission/webhook/dial.ts';
import { LocalWebhooks } from './admission/webhook/local-webhooks.ts';
import { usageWriter } from './store/usage-writer.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import type { AuditPolicy } from './audit/audit-policy.ts';
import { type AuditBackend, type AuditedRequest, Auditor } from './audit/auditor.ts';
import { AuthenticatorChain, type Authenticator } from './auth/authenticator.ts';
import type { Authorizer } from './auth/authorizer.ts';
import { AuthorizerChain } from './auth/authorizer-chain.ts';
import { bootstrapPolicy } from './auth/bootstrap-policy.ts';
import { BootstrapTokens } from './auth/bootstrap-tokens.ts';
import { NodeAuthorizer } from './auth/node/node-authorizer.ts';
import { RbacAuthorizer } from './auth/rbac-authorizer.ts';
import { reviewHandlers } from './rest/subresources/reviews.ts';
import { roleEscalationCheck } from './admission/plugins/role-escalation.ts';
import { createSigningKey, ServiceAccountTokens } from './auth/service-account-tokens.ts';
import { TokenFile } from './auth/token-file.ts';
import { FlowController } from './flow-control/flow-controller.ts';
import { isHealthPath } from './discovery/health.ts';
import { KubeletClient, type KubeletTrust } from './kubelet/kubelet-client.ts';
import { ConversionWebhooks } from './crd/conversion-webhooks.ts';
import { DefinitionController } from './crd/definition-controller.ts';
import { bootstrap, createMissing, replaceContent } from './store/bootstrap.ts';
import { addressObjects, defaultObjects, type ServedAddress, serviceRangeObject } from './store/served-objects.ts';
import { builtinResources } from './registry/builtin-resources.ts';
import { ObjectDeleter } from './store/object-deleter.ts';
import { ObjectStore } from './store/object-store.ts';
import type { SideEffects } from './store/store-parts.ts';
import { type Draft, type Resource, storageKey } from './registry/resource.ts';
import { negotiateError } from './request/negotiate.ts';
import { ResourceTable } from './registry/resource-table.ts';
import { defaultServiceRange, firstAddress, ServiceAddresses } from './store/service-addresses.ts';
import type { ApiRequest } from './request/api-request.ts';
import type { ApiResponse } from './request/api-response.ts';
import { ResourceHandler, type RestParts } from './rest/resource-handler.ts';
import { ResourceMetrics } from './rest/resource-metrics.ts';
import { Router } from './rest/router.ts';
import { NodeConnectors } from './rest/subresources/pod-node.ts';
import { subresourceHandlers } from './rest/subresources/index.ts';
import { warningHeaders } from './rest/warning-headers.ts';
import { RevisionStore } from './storage/revision-store.ts';
import { type Storage, StorageFullError } from './storage/storage.ts';

export interface ApiServerOptions {
  /** Default: in memory. */
  readonly storage?: Storage;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Connects to Pods, and to everything else: webhooks, aggregated servers, proxied Pods and Services. Default: from this machine. */
  readonly dial?: Dial;
  /** Who is believed, besides the tokens of service accounts. Requests of this process name their user themselves. */
  readonly authenticators?: readonly Authenticator[];
  /** Gives the RSA key (PKCS #8 PEM) that signs the tokens of service accounts. Default: a new one, so tokens end with the process. */
  readonly serviceAccountKey?: () => Promise<string>;
  /** Hooks of our own systems, after the built-in plugins. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Built-in plugins to leave out, by name. */
  readonly disabledAdmissionPlugins?: readonly string[];
  /** How kubelets of other machines are reached: logs, sessions, the proxy of nodes. Without it, only nodes of this process are. */
  readonly kubeletTrust?: () => Promise<KubeletTrust>;
  /** Where Services get their addresses. Default `10.0.0.0/24`. */
  readonly serviceRange?: string;
  /**
   * Requests of other processes under way at once, watches not counted; more are answered 429. Default 400. Those of this
   * process always go on: its controllers hold what they send in memory anyway, and strangers must not hold them up.
   */
  readonly maxInFlight?: number;
  /** Records requests as a policy says. Default: none is recorded. */
  readonly audit?: { readonly policy: AuditPolicy; readonly backend: AuditBackend };
  /** Called with errors of the server itself. Never with bodies or headers: those hold secrets. */
  readonly onError?: (error: unknown, request: FailedRequest | undefined) => void;
}

/** Waiting requests for each that runs, at most. */
const queuedPerSeat = 20;

/** The loggable part of a request. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
}

/**
 * The API server without a network: requests in, answers out. Put {@link serveHttps} in front of it for clients of other
 * processes.
 *
 * @example
 * const server = await ApiServer.create();
 * const answer = await server.handle({ method: 'GET', path: '/api/v1/namespaces', query: new URLSearchParams(), headers: {}, user: admin });
 */
export class ApiServer {
  readonly storage: Storage;
  readonly resources: ResourceTable = new ResourceTable();
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly authorizer: Authorizer;
  /** Where a node registers, to be asked for the logs of its Pods. */
  readonly nodes: NodeConnectors = new NodeConnectors();
  /** Where webhooks of this process register, to be called without a network. */
  readonly localWebhooks: LocalWebhooks = new LocalWebhooks();
  private readonly admission: Admission;
  private readonly router: Router;
  private readonly aggregator: Aggregator;
  private readonly auditor: Auditor | undefined;
  private readonly flowController: FlowController;
  private readonly conversions: ConversionWebhooks;
  private readonly definitions: DefinitionController;
  private readonly maxInFlight: number;
  private readonly serviceRange: string;
  private readonly onError: (error: unknown, request: FailedRequest | undefined) => void;
  private inFlight = 0;
  private isClosing = false;

  /** A server with the objects in place that every cluster has. */
  static async create(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await bootstrap(server, bootstrapPolicy, firstAddress(server.serviceRange));
    return server;
  }

  private constructor(options: ApiServerOptions) {
    this.storage = options.storage ?? new RevisionStore();
    this.clock = options.clock ?? systemClock;
    this.maxInFlight = options.maxInFlight ?? 400;
    this.serviceRange = options.serviceRange ?? defaultServiceRange;
    this.onError = options.onError ?? (() => {});
    for (const resource of builtinResources()) this.resources.add(resource);

    const { storage, clock, resources } = this;
    const random = options.random ?? systemRandom;
    this.auditor = options.audit && new Auditor({ ...options.audit, clock, random });
    const rbac = new RbacAuthorizer(storage);
    const authorizer = new AuthorizerChain([new NodeAuthorizer(storage), rbac]);
    this.authorizer = authorizer;
    const tokens = new ServiceAccountTokens(options.serviceAccountKey ?? createSigningKey, storage, clock, random);
    this.admission = createAdmission({
      localWebhooks: this.localWebhooks,
      storage,
      resources,
      authorizer,
      clock,
      random,
      dial: options.dial,
      plugins: options.admission ?? [],
      checks: [roleEscalationCheck(rbac)],
      disabled: options.disabledAdmissionPlugins ?? [],
      writeUsage: usageWriter(
        () => this.objects,
        () => resources.find('', 'v1', 'resourcequotas') as Resource,
      ),
    });
    const admission = this.admission.chain;
    const addresses = new ServiceAddresses(storage, random, this.serviceRange);
    const sideEffects: SideEffects = {
      beforeCreate: (...change) => addresses.beforeCreate(...change),
      beforeUpdate: (...change) => addresses.beforeUpdate(...change),
      afterDelete: (resource) => this.definitions.instanceDeleted(resource),
    };
    this.objects = new ObjectStore({ storage, admission, clock, random, sideEffects });
    const { objects } = this;
    const deleter = new ObjectDeleter({ storage, admission, clock, sideEffects });
    const onError = (error: unknown) => this.onError(error, undefined);
    this.conversions = new ConversionWebhooks(storage, this.admission.clients, random);
    const webhook = (crd: CustomResourceDefinition) => this.conversions.of(crd);
    this.definitions = new DefinitionController({ storage, objects, deleter, resources, clock, onError, webhook });
    this.definitions.start();

    this.aggregator = new Aggregator({
      storage,
      objects: () => this.objects,
      resource: resources.find('apiregistration.k8s.io', 'v1', 'apiservices') as Resource,
      clock,
      random,
      dial: options.dial,
      onError,
    });
    this.flowController = new FlowController({ storage, clock, seats: this.maxInFlight });
    const rest: RestParts = { storage, objects, deleter, admission, authorizer, clock };
    const { kubeletTrust: trust, dial } = options;
    const kubelets = trust && new KubeletClient({ clock, trust, dial });
    const authenticators = options.authenticators ?? [];
    const tokenFiles = authenticators.filter((candidate): candidate is TokenFile => candidate instanceof TokenFile);
    this.router = new Router({
      storage,
      resources,
      authorizer,
      authenticators: new AuthenticatorChain([...authenticators, tokens, new BootstrapTokens(storage, clock)]),
      handler: new ResourceHandler(
        rest,
        subresourceHandlers(rest, resources, tokens, this.nodes, authorizer, random, options.dial, kubelets),
      ),
      aggregator: this.aggregator,
      metrics: new ResourceMetrics(this.nodes, clock),
      flowController: this.flowController,
      tokens,
      reviews: reviewHandlers({ clock, authorizer, rbac, tokens, tokenFiles }),
    });
  }

  /** Rejects, with a StatusError, when the user may not perform a request, whatever its body says. */
  async admit(request: ApiRequest): Promise<void> {
    try {
      await this.router.admit(request);
    } catch (error) {
      if (this.auditor) await this.recordDenial(this.auditor.begin(request), request, error);
      throw error;
    }
  }

  /** A request that is denied before its body is read gets no further; one that is admitted is recorded by `handle`. */
  private async recordDenial(audited: AuditedRequest, request: ApiRequest, error: unknown): Promise<void> {
    await this.router.admit(request, audited).catch(() => undefined);
    audited.answered(this.failure(error, request));
  }

  /** Answers a request. Never rejects: failures are answers too. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    // With priority and fairness, requests wait in queues; this is the bound of all of them.
    const limit = this.flowController.isActive ? this.maxInFlight * queuedPerSeat : this.maxInFlight;
    if (!request.user && this.inFlight >= limit && !isHealthPath(request.path)) {
      return statusResponse(tooManyRequestsError('Too many requests, please try again later.', 1), 'json');
    }
    const warnings = new Set<string>();
    const audited = this.auditor?.begin(request);
    let response: ApiResponse;
    this.inFlight++;
    try {
      response = await this.router.route(request, warnings, audited);
    } catch (error) {
      response = this.failure(error, request);
    } finally {
      this.inFlight--;
    }
    if (audited) response = withHeaders(audited.answered(response), { 'audit-id': audited.id });
    return warnings.size === 0 ? response : withHeaders(response, { warning: warningHeaders(warnings) });
  }

  /**
   * Puts an object in its place as it is, with uid, managed fields and status: a copy of what another server has. Nothing is
   * admitted, validated or filled in. Its kind has to be served; definitions are, soon after they were restored.
   */
  async restore(object: KubeObject): Promise<void> {
    const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
    const resource = this.resources.findKind(group, version, object.kind);
    if (!resource) throw unknownPathError();
    const { namespace = '', name = '' } = object.metadata;
    const key = storageKey(resource, namespace, name);
    const copy = cloneJson(object) as Draft;
    const stored = resource.toStorage ? await resource.toStorage(copy) : copy;
    await this.storage.write(key, this.storage.latest(key)?.revision ?? 0, stored);
  }

  /**
   * Serves a kind whose definition this program made itself, and knows to be valid. It skips validation and
   * managedFields, which take most of the time for a large definition. An existing definition stays as it is.
   */
  async define(definition: object): Promise<void> {
    const resource = this.resources.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Resource;
    const { object } = resource.decode({ value: definition, hasNumberTexts: false });
    if (this.storage.latest(storageKey(resource, '', object.metadata.name ?? ''))) return;
    const user = { name: 'system:apiserver', groups: ['system:masters'] };
    const context = { user, fieldManager: '', dryRun: false, options: {}, warn: () => undefined, trusted: true };
    await this.objects.create(resource, '', object, context, true);
  }

  /**
   * Creates the objects with which a served cluster describes itself: APIServices, the default flow schemas and priority
   * levels, the range of Service addresses, the endpoints of the Service `kubernetes`, and the authorities that
   * aggregated servers trust. A cluster that no other process reaches does without them. On a full disk, the next start creates
   * them: a server that starts is how room is made.
   */
  async announce(address: ServedAddress): Promise<void> {
    const now = formatTime(this.clock.now());
    try {
      await createMissing(this, defaultObjects(this.resources));
      const hasRange = this.storage.latest('/registry/servicecidrs/kubernetes') !== undefined;
      const range = hasRange ? [] : [serviceRangeObject(this.serviceRange, now)];
      const requestHeaderCa = await this.aggregator.authority();
      await replaceContent(this, [...range, ...addressObjects(address, requestHeaderCa)]);
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.definitions.stop();
    this.flowController[Symbol.dispose]();
    await this.aggregator[Symbol.asyncDispose]();
    this.conversions[Symbol.dispose]();
    await this.admission.close();
    await this.storage.close();
  }

  private failure(error: unknown, request: ApiRequest): ApiResponse {
    return statusResponse(this.statusOf(error, request), negotiateError(request.headers.accept));
  }

  private statusOf(error: unknown, request: ApiRequest): StatusError {
    if (isStatusError(error)) return error;
    // A request in flight: its client should retry, and it is no error of the server.
    if (this.isClosing) return serviceUnavailableError('the server is shutting down');
    if (error instanceof StorageFullError) return insufficientStorageError(error.message);
    this.onError(error, { method: request.method, path: request.path });
    return internalServerError('unexpected failure; the server log has the details', error);
  }
}

function withHeaders(response: ApiResponse, headers: NonNullable<ApiResponse['headers']>): ApiResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}

function statusResponse(error: StatusError, media: 'json' | 'yaml'): ApiResponse {
  const retryAfter = error.status.details?.retryAfterSeconds;
  return {
    code: error.code,
    type: 'object',
    media,
    object: error.status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  };
}

/** The Kubernetes API client: transports, verbs, watches, discovery, kubeconfigs. */

// The client
export { Client, type ClientOptions, type WatchEvent } from './client.ts';
export { openClient } from './open-client.ts';
export {
  type Configuration,
  keyOf,
  type KindName,
  type KindReference,
  type NewObject,
  type ObjectKey,
  type ResolvedKind,
} from './kind-reference.ts';
export { createFolder } from './create-folder.ts';
export { ignoreNotFound } from './ignore-not-found.ts';
export { type ConflictRetryOptions, isConflict, retryOnConflict } from './retry-on-conflict.ts';
export type { Interceptor, RequestHandler } from './interceptor.ts';
export { kinds } from './kinds.ts';
export { linesOf } from './lines-of.ts';
export type { ExpiredPolicy, ListAllOptions } from './list-pages.ts';
export { collectionPath, objectPath } from './object-path.ts';
export { jsonPatch, type JsonPatchOperation, mergePatch, type Patch, strategicMergePatch } from './patch.ts';
export { SharedReads } from './shared-reads.ts';
export { type NameOrKey, typedClient, type TypedClient } from './typed-client.ts';
export type * from './verb-options.ts';

// Watches that go on
export { Backoff, type BackoffOptions } from './watch/backoff.ts';
export type { VanishedObject } from './watch/known-objects.ts';
export { type ResilientEvent, resilientWatch, type ResilientWatchOptions } from './watch/resilient-watch.ts';

// Discovery
export type { ApiResource, ApiSurface } from './discovery/api-resource.ts';
export { Discovery } from './discovery/discovery.ts';

// The way there
export { httpTransport, type HttpTransportOptions } from './transport/http-transport.ts';
export { isStatus, statusErrorOf } from './transport/response-status.ts';
export { rateLimitedTransport, type RateLimit } from './transport/rate-limited-transport.ts';
export { retryingTransport, type RetryOptions } from './transport/retrying-transport.ts';
export type * from './transport/transport.ts';
export { parseWarnings } from './transport/warning-header.ts';
export { type FetchOptions, fetchUrl, readBody } from './transport/fetch-url.ts';
export { webFetch } from './transport/web-fetch.ts';
export { proxyFromEnvironment } from './transport/environment-proxy.ts';

// Which server, and as whom
export type { ClientConfig, Impersonation } from './config/client-config.ts';
export {
  bearer,
  type ClientCertificate,
  type CredentialMaterial,
  type Credentials,
  staticCredentials,
} from './config/credentials.ts';
export { inClusterConfig, isInCluster } from './config/in-cluster.ts';
export type * from './config/kubeconfig.ts';
export { loadConfig, type LoadConfigOptions } from './config/load-config.ts';
export { kubeconfigFiles, parseKubeconfig, readKubeconfig } from './config/read-kubeconfig.ts';
export { resolveContext } from './config/resolve-context.ts';

// Errors
export { ClientError, type ClientErrorCode, clientErrors, isClientError } from './client-error.ts';

/** An embedded Kubernetes API server. */
export type { AdmissionPlugin, AdmissionRequest } from './admission/admission.ts';
export type { Authenticator } from './auth/authenticator.ts';
export type { Authorizer, AuthorizationAttributes, Decision } from './auth/authorizer.ts';
export { clientCertificateAuthenticator } from './auth/client-certificate.ts';
export { createSigningKey, type SigningKeyType } from './auth/service-account-tokens.ts';
export { TokenFile } from './auth/token-file.ts';
export { type RunningHttpServer, serveHttps } from './http/http-server.ts';
export { inProcessTransport } from './in-process/in-process-transport.ts';
export type { ApiRequest, ApiResponse, UserInfo, WatchEvent } from './rest/api-request.ts';
export { compactPath } from './rest/router.ts';
export type { NodeConnector, PodLogOptions } from './rest/subresources/pod-node.ts';
export { ApiServer, type ApiServerOptions } from './server.ts';
export { FolderError } from './storage/folder-error.ts';
export { FolderLock } from './storage/folder-lock.ts';
export { LmdbJournal } from './storage/lmdb-journal.ts';
export { isAlive, ownProcess, type ProcessIdentity } from './storage/process-identity.ts';
export { RevisionStore, type RevisionStoreOptions } from './storage/revision-store.ts';
export type { Storage } from './storage/storage.ts';

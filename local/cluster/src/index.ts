/** A whole cluster in one process: API server, built-in controllers, node, systems. */
export { ApiEndpoint } from './api-endpoint.ts';
export {
  type ClusterCertificates,
  type ClusterNode,
  type ClusterOptions,
  type ClusterSystemsOptions,
  type HttpsAddress,
  type NetworkName,
  networkNames,
  type RuntimeName,
  runtimeNames,
  type ServedApi,
} from './cluster-options.ts';
export { createServerAuthority, issueServerCertificate } from './server-keys.ts';
export { shellReplacement } from './shell-images.ts';
export { admin, type RunningCluster, startCluster } from './start-cluster.ts';
export { createTemporaryFolder, makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

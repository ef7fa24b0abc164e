import type { Environment } from './payload/proxy-of.ts';

/** How the operator runs. */
export interface OperatorSettings {
  /** Of the operator: another one has everything recreated. */
  readonly version: string;
  /** Folders that paths of additional manifests may lie in. Default `/manifests`; the folder of payloads is added. */
  readonly manifestRoots?: readonly string[];
  /** Additional manifests by `http`. Default no. */
  readonly allowInsecureManifests?: boolean;
  /** Additional manifests from loopback, link-local and metadata addresses. Default no. */
  readonly allowPrivateManifests?: boolean;
  /** Additional manifests outside of the namespace of the Connector: its users have the rights of the operator then. Default no. */
  readonly additionalManifestsClusterScope?: boolean;
  /** The users that may write InstallManifests. Default: the operator's own user, where the server reports it. */
  readonly operatorUsers?: readonly string[];
  /** Further certificates that URLs may have, in PEM. */
  readonly certificateAuthority?: string;
  /** For the proxy variables. Default: none. */
  readonly environment?: Environment;
  /** How many Connectors, and how many InstallManifests, are worked on at a time. Default: as for any controller. */
  readonly workers?: number;
  /** The requeue delay while something is not ready. Default ten seconds. */
  readonly requeueMs?: number;
  /** The resync period. Default ten hours. */
  readonly resyncMs?: number;
  /** How often payloads are checked. Default 30 seconds. */
  readonly payloadCheckMs?: number;
}

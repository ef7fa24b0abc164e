import type { Environment } from './payload/proxy-of.ts';

/** How the operator runs. */
export interface OperatorSettings {
  /** Of the operator: another one has everything made anew. */
  readonly version: string;
  /** Folders that paths of additional manifests may lie in. Default `/manifests`; the folder of payloads is added. */
  readonly manifestRoots?: readonly string[];
  /** Additional manifests by `http`. Default no. */
  readonly allowInsecureManifests?: boolean;
  /** Additional manifests from loopback, link-local and metadata addresses. Default no. */
  readonly allowPrivateManifests?: boolean;
  /** Additional manifests outside of the namespace of the Connector: its users have the rights of the operator then. Default no. */
  readonly additionalManifestsClusterScope?: boolean;
  /** Who may write InstallManifests. Default: the user that the operator itself is, where the server tells. */
  readonly operatorUsers?: readonly string[];
  /** Further certificates that URLs may have, in PEM. */
  readonly certificateAuthority?: string;
  /** For the proxy variables. Default: none. */
  readonly environment?: Environment;
  /** How many Connectors, and how many InstallManifests, are worked on at a time. Default: as for any controller. */
  readonly workers?: number;
  /** When to look again at what is not ready. Default ten seconds. */
  readonly requeueMs?: number;
  /** When to look at everything again. Default ten hours. */
  readonly resyncMs?: number;
  /** How often payloads are looked at. Default 30 seconds. */
  readonly payloadCheckMs?: number;
}

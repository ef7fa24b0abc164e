import type { Credentials } from './credentials.ts';

/** How to reach an API server and as whom. Kubeconfigs and service accounts become one of these. */
export interface ClientConfig {
  /** `https://host:port`, perhaps with a path in front of the API's own. */
  readonly server: string;
  /** PEM. Default: the authorities that Node trusts. */
  readonly certificateAuthority?: string;
  /** Believe any server. For tests. */
  readonly insecureSkipTlsVerify?: boolean;
  /** The name the server's certificate is checked against, when it is not the host of the URL. */
  readonly tlsServerName?: string;
  /** `http:`, `https:` or `socks5:`. */
  readonly proxyUrl?: string;
  /** Default: none, which makes an anonymous client. */
  readonly credentials?: Credentials;
  readonly impersonate?: Impersonation;
  /** The namespace that the user means when none is named. The client itself never assumes one. */
  readonly namespace: string;
}

/** Acts as another user; the server checks whether that is allowed. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

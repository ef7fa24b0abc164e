/** Who asks. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * A request, whether it came over HTTP or from this process. Header names are in lower case.
 * In-process callers may hand in the body as an object, which the server does not change and does not keep.
 */
export interface ApiRequest {
  readonly method: string;
  /** The path without the query, still escaped. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | object;
  /** Already known callers (in-process) skip authentication. */
  readonly user?: UserInfo;
  /** The verified certificate of a TLS client. */
  readonly clientCertificate?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    readonly fingerprint: string;
  };
  /** The TLS client showed a certificate that cannot be believed. */
  readonly badClientCertificate?: boolean;
  readonly signal?: AbortSignal;
  /** The address of the client, for audit. */
  readonly remoteAddress?: string;
  /** Called with the name of the user once it is authenticated, for limits that count by user. */
  readonly onAuthenticated?: (name: string) => void;
}

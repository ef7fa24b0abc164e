/** The credentials that a request carries. */
export interface CredentialMaterial {
  /** The value of the `authorization` header. */
  readonly authorization?: string;
  /** For TLS, PEM. */
  readonly clientCertificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Where credentials come from. They may change while a client lives: files rotate, plugins hand out short-lived tokens. */
export interface Credentials {
  /** Called for every request; cheap unless something has to be fetched. */
  current(signal?: AbortSignal): Promise<CredentialMaterial>;
  /**
   * The server answered 401 to this material. True when it is worth asking {@link current} again and repeating the
   * request.
   */
  refused(material: CredentialMaterial): boolean;
}

/** Credentials that never change. */
export function staticCredentials(material: CredentialMaterial): Credentials {
  return { current: () => Promise.resolve(material), refused: () => false };
}

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

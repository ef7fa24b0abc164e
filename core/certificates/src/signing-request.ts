import type { Clock } from '@tektite/meta';

/** The subject, names and usages that a request asks for. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** Whether it is signed with the key it is about: who sends it has that key. */
  verify(): Promise<boolean>;
}

export interface SigningOptions {
  readonly clock: Clock;
  /** `client auth`, `server auth`, as CertificateSigningRequests name them; others are left out. */
  readonly usages: readonly string[];
  readonly validForMs: number;
}

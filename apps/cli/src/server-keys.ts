import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';

/** What a server needs to serve: its own certificate, and who vouches for it. */
export interface ServerKeys {
  readonly authority: KeyPair;
  readonly server: KeyPair;
}

/** By these names the API is asked for, from this machine and from Pods. */
const ownNames = ['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/** A new authority, and a certificate of it for the API server. */
export async function createServerKeys(host: string): Promise<ServerKeys> {
  const authority = await createServerAuthority();
  return { authority, server: await issueServerCertificate(authority, host) };
}

export function createServerAuthority(): Promise<KeyPair> {
  return createAuthority('tektite', systemClock);
}

export function issueServerCertificate(authority: KeyPair, host: string): Promise<KeyPair> {
  const hosts = [...new Set([host, ...ownNames])];
  return issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, systemClock);
}

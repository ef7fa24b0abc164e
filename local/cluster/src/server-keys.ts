import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { type Clock, systemClock } from '@tektite/meta';
import { clusterDns, podApiAddress } from './network-addresses.ts';

/** The certificate of a server, and the authority that signed it. */
interface ServerKeys {
  readonly authority: KeyPair;
  readonly server: KeyPair;
}

/** Names of the API, on this machine and in Pods. */
const ownNames = [
  '127.0.0.1',
  '::1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  `kubernetes.default.svc.${clusterDns.domain}`,
  podApiAddress.host,
];

/** A new authority, and a certificate of it for the API server. */
export async function createServerKeys(names: readonly string[]): Promise<ServerKeys> {
  const authority = await createServerAuthority(systemClock);
  return { authority, server: await issueServerCertificate(authority, names, systemClock) };
}

export function createServerAuthority(clock: Clock): Promise<KeyPair> {
  return createAuthority('tektite', clock);
}

/** A certificate for these names and addresses, and for those that every cluster has. */
export function issueServerCertificate(authority: KeyPair, names: readonly string[], clock: Clock): Promise<KeyPair> {
  const hosts = [...new Set([...names, ...ownNames])];
  return issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, clock);
}

import type { SigningRequest } from '@tektite/certificates';
import { validateDns1123Subdomain } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { homeName } from '../../host/host-home.ts';
import {
  bootstrapGroup,
  clientSigner,
  csrPrefix,
  hostGroup,
  hostUserPrefix,
  namespaceOfBootstrapGroup,
} from '../../wire-names.ts';

export type CsrDecision =
  /** With a token, the host is to belong to the namespace of that token; the name is claimed before the approval. */
  | { readonly type: 'approve'; readonly host: string; readonly claims?: string }
  /** It is approved, by a person or by a process that died: the host is to have its home. */
  | { readonly type: 'admit'; readonly host: string; readonly claims: string }
  | { readonly type: 'leave'; readonly why: string }
  | { readonly type: 'decided' };

/** Facts about hosts that the decision depends on. */
export interface KnownHosts {
  /** Whether a ByoHost of this name exists, in any namespace. */
  readonly isRegistered: (host: string) => boolean;
  /** The namespace that the name belongs to; empty when the host has lost its rights. */
  readonly homeOf: (host: string) => string | undefined;
}

/**
 * Decides whether a host asks for its own certificate and for nothing else: the name of the request, the name in it and its
 * sender have to agree, and a sender with a token cannot become a host that exists, nor one of another namespace. A request that
 * does not fit is left to people.
 */
export function decideRequest(
  { metadata, spec, status }: CertificateSigningRequest,
  subject: Pick<SigningRequest, 'commonName' | 'organizations' | 'dnsNames' | 'addresses'>,
  known: KnownHosts,
): CsrDecision {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) ?? false;
  if (has('Denied') || has('Failed')) return { type: 'decided' };
  const asked = readAsked(metadata.name ?? '', spec, subject);
  const isApproved = has('Approved');
  if (typeof asked === 'string') return isApproved ? { type: 'decided' } : leave(asked);
  const { username = '', groups = [] } = spec;
  const { host } = asked;
  const home = known.homeOf(host);
  if (username === subject.commonName && groups.includes(hostGroup)) {
    if (isApproved) return { type: 'decided' };
    if (home || (home === undefined && known.isRegistered(host))) return { type: 'approve', host };
    return leave(`the host ${host} has no rights in any namespace`);
  }
  const claims = groups.includes(bootstrapGroup) ? namespaceOf(groups) : undefined;
  if (isApproved) return claims === undefined ? { type: 'decided' } : { type: 'admit', host, claims };
  if (!groups.includes(bootstrapGroup)) return leave(`${username} may not ask for it`);
  if (claims === undefined)
    return leave('its token is not for one namespace; use the token of a BootstrapKubeconfig made by this version');
  // A token that is good for any new host must not be good for the place of another.
  if (known.isRegistered(host))
    return leave(`a host ${host} is registered; delete its ByoHost if it is to register again, or approve this`);
  if (home !== undefined && home !== claims) return leave(notAtHome(host));
  return { type: 'approve', host, claims };
}

/** Does not name the other namespace: the request may come from a tenant who must not know it. */
export function notAtHome(host: string): string {
  return `the name ${host} belongs to another namespace, or the host has lost its rights; see the ConfigMap ${homeName(host)} of the manager`;
}

/** The host that a request is for, or why it is for none. */
function readAsked(
  name: string,
  { signerName, usages = [] }: CertificateSigningRequest['spec'],
  subject: Parameters<typeof decideRequest>[1],
): { readonly host: string } | string {
  if (!name.startsWith(csrPrefix)) return `its name does not begin with ${csrPrefix}`;
  if (signerName !== clientSigner) return `it is for the signer ${signerName}`;
  if (usages.length !== 1 || usages[0] !== 'client auth') return `it asks for the usages ${usages.join(', ')}`;
  if (subject.organizations.length !== 1 || subject.organizations[0] !== hostGroup)
    return `its organizations are ${JSON.stringify(subject.organizations)}`;
  if (subject.dnsNames.length + subject.addresses.length > 0) return 'it has other names';
  if (!subject.commonName.startsWith(hostUserPrefix)) return `its common name is ${subject.commonName}`;
  const host = subject.commonName.slice(hostUserPrefix.length);
  if (host === '' || !isNameFor(name, host)) return `its name does not fit the host ${host}`;
  // Requests may have names that no other object can have.
  return validateDns1123Subdomain(homeName(host)).length > 0 ? `no host can have the name ${host}` : { host };
}

/** The one namespace of a token. One of several namespaces would leave the choice to its bearer. */
function namespaceOf(groups: readonly string[]): string | undefined {
  const namespaces = groups.flatMap((each) => namespaceOfBootstrapGroup(each) ?? []);
  return namespaces.length === 1 ? namespaces[0] : undefined;
}

/** `byoh-csr-<host>`, or that and a hash of the key, for renewals. */
function isNameFor(name: string, host: string): boolean {
  const rest = name.slice(csrPrefix.length);
  return rest === host || (rest.startsWith(`${host}-`) && /^[0-9a-f]{10}$/.test(rest.slice(host.length + 1)));
}

function leave(why: string): CsrDecision {
  return { type: 'leave', why };
}

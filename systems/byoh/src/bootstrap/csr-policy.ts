import type { SigningRequest } from '@tektite/certificates';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import { bootstrapGroup, clientSigner, csrPrefix, hostGroup, hostUserPrefix } from '../wire-names.ts';

export type CsrVerdict = { readonly type: 'approve' } | { readonly type: 'leave'; readonly why: string };

/**
 * Whether a host asks for its own certificate and for nothing else: the name of the request, the name in it and who sent it
 * have to agree; and who is not the host yet cannot become one that is there. What does not fit is left for people to look at.
 */
export function judgeRequest(
  { metadata, spec, status }: CertificateSigningRequest,
  subject: Pick<SigningRequest, 'commonName' | 'organizations' | 'dnsNames' | 'addresses'>,
  isRegistered: (host: string) => boolean,
): CsrVerdict {
  const { name = '' } = metadata;
  if (status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied' || type === 'Failed'))
    return leave('it is decided');
  if (!name.startsWith(csrPrefix)) return leave(`its name does not begin with ${csrPrefix}`);
  if (spec.signerName !== clientSigner) return leave(`it is for the signer ${spec.signerName}`);
  const { usages = [], username = '', groups = [] } = spec;
  if (usages.length !== 1 || usages[0] !== 'client auth') return leave(`it asks for the usages ${usages.join(', ')}`);
  if (subject.organizations.length !== 1 || subject.organizations[0] !== hostGroup)
    return leave(`its organizations are ${JSON.stringify(subject.organizations)}`);
  if (subject.dnsNames.length + subject.addresses.length > 0) return leave('it has other names');
  if (!subject.commonName.startsWith(hostUserPrefix)) return leave(`its common name is ${subject.commonName}`);
  const host = subject.commonName.slice(hostUserPrefix.length);
  if (host === '' || !isNameFor(name, host)) return leave(`its name does not fit the host ${host}`);
  const isHost = username === subject.commonName && groups.includes(hostGroup);
  if (isHost) return { type: 'approve' };
  if (!groups.includes(bootstrapGroup)) return leave(`${username} may not ask for it`);
  // A token that is good for any new host must not be good for the place of another.
  if (isRegistered(host))
    return leave(`a host ${host} is registered; delete its ByoHost if it is to register anew, or approve this`);
  return { type: 'approve' };
}

/** `byoh-csr-<host>`, or that and a hash of the key, for renewals. */
function isNameFor(name: string, host: string): boolean {
  const rest = name.slice(csrPrefix.length);
  return rest === host || (rest.startsWith(`${host}-`) && /^[0-9a-f]{10}$/.test(rest.slice(host.length + 1)));
}

function leave(why: string): CsrVerdict {
  return { type: 'leave', why };
}

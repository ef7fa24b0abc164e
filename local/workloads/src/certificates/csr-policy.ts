import type { SigningRequest as RequestSubject } from '@tektite/certificates';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';

/** The subject named by a request. */
export type Subject = Pick<RequestSubject, 'commonName' | 'organizations' | 'dnsNames' | 'addresses'>;

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
const legacySigner = 'kubernetes.io/legacy-unknown';

function isAmong(usages: readonly string[], ...allowed: readonly (readonly string[])[]): boolean {
  return allowed.some((set) => set.length === usages.length && set.every((usage) => usages.includes(usage)));
}

/** Why a signer does not give what is asked for; undefined when it does. */
function objection(signer: string, subject: Subject, usages: readonly string[]): string | undefined {
  switch (signer) {
    case clientSigner:
      return clientObjection(usages);
    case kubeletClientSigner:
      return nodeObjection(subject, usages, 'client auth');
    case kubeletServingSigner:
      return nodeObjection(subject, usages, 'server auth');
    default:
      return undefined;
  }
}

function clientObjection(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !['client auth', 'digital signature', 'key encipherment'].includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function nodeObjection(
  subject: Subject,
  usages: readonly string[],
  purpose: 'client auth' | 'server auth',
): string | undefined {
  const { commonName, organizations, dnsNames, addresses } = subject;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes')
    return 'subject organization is not system:nodes';
  if (purpose === 'client auth' && dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (purpose === 'client auth' && addresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (purpose === 'server auth' && dnsNames.length + addresses.length === 0)
    return 'DNS or IP subjectAltName is required';
  if (!commonName.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  const least = ['digital signature', purpose];
  const all = ['digital signature', 'key encipherment', purpose].toSorted();
  return isAmong(usages, least, all) ? undefined : `usages did not match [${all.join(' ')}]`;
}

function has({ status }: CertificateSigningRequest, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status !== 'False') ?? false;
}

export type SigningStep =
  | { readonly type: 'rest' }
  | { readonly type: 'sign' }
  | { readonly type: 'fail'; readonly message: string };

/** Decides whether a request is signed: it is approved, not denied, and within the limits of its signer. */
export function signingStep(request: CertificateSigningRequest, subject: Subject): SigningStep {
  const { spec, status } = request;
  if (status?.certificate || !has(request, 'Approved') || has(request, 'Denied') || has(request, 'Failed'))
    return { type: 'rest' };
  if (![clientSigner, kubeletClientSigner, kubeletServingSigner, legacySigner].includes(spec.signerName))
    return { type: 'rest' };
  const against = objection(spec.signerName, subject, spec.usages ?? []);
  return against === undefined ? { type: 'sign' } : { type: 'fail', message: against };
}

/** Reports whether a node requests a client certificate for its own identity. The authorizer decides whether it may. */
export function isOwnRenewal({ spec }: CertificateSigningRequest, subject: Subject): boolean {
  return (
    spec.signerName === kubeletClientSigner &&
    spec.username === subject.commonName &&
    nodeObjection(subject, spec.usages ?? [], 'client auth') === undefined
  );
}

import type { SigningRequest as RequestSubject } from '@tektite/certificates';
import type { CertificateSigningRequest, Node } from '@tektite/schema/kubernetes';

/** The subject named by a request. */
export type Subject = Pick<RequestSubject, 'commonName' | 'organizations' | 'dnsNames' | 'addresses'>;

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
const nodePrefix = 'system:node:';
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
  if (!commonName.startsWith(nodePrefix)) return 'subject common name does not begin with system:node:';
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

/** A request of a kubelet that needs no person, and what decides on it. */
export type Approval =
  /** The authorizer: `create` of this subresource of certificatesigningrequests. */
  | { readonly by: 'review'; readonly subresource: 'selfnodeclient' | 'nodeclient'; readonly message: string }
  /** The addresses in the status of the node. */
  | { readonly by: 'addresses'; readonly node: string };

/**
 * Recognises requests of kubelets: a client certificate for itself (a renewal), one for a node that a bootstrap token joins,
 * and a serving certificate for itself. Undefined: a person decides.
 */
export function recognise({ spec }: CertificateSigningRequest, subject: Subject): Approval | undefined {
  const { signerName, username = '', groups, usages } = spec;
  if (signerName === kubeletClientSigner && nodeObjection(subject, usages ?? [], 'client auth') === undefined) {
    return username === subject.commonName
      ? {
          by: 'review',
          subresource: 'selfnodeclient',
          message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
        }
      : {
          by: 'review',
          subresource: 'nodeclient',
          message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
        };
  }
  const isOwnServer =
    signerName === kubeletServingSigner &&
    username === subject.commonName &&
    groups?.includes('system:nodes') === true &&
    nodeObjection(subject, usages ?? [], 'server auth') === undefined;
  return isOwnServer ? { by: 'addresses', node: username.slice(nodePrefix.length) } : undefined;
}

/**
 * Reports whether a node may serve under the names and addresses of its request: its status has all of them, and that of no other
 * node has any. Upstream leaves serving certificates to a person, because a node writes its status itself; a name that two
 * nodes claim is left to one here, too.
 */
export function ownsNames(node: string, { dnsNames, addresses }: Subject, nodes: readonly Node[]): boolean {
  const wanted = [...dnsNames, ...addresses];
  const namesOf = ({ metadata, status }: Node) => [
    metadata.name ?? '',
    ...(status?.addresses ?? []).map(({ address }) => address),
  ];
  const own = nodes.filter(({ metadata }) => metadata.name === node).flatMap(namesOf);
  const others = new Set(nodes.filter(({ metadata }) => metadata.name !== node).flatMap(namesOf));
  return wanted.length > 0 && wanted.every((name) => own.includes(name) && !others.has(name) && !isOfThisMachine(name));
}

/** Names under which every machine reaches itself: a certificate for them would be good for all. */
function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name === '::1' || name.startsWith('127.');
}

import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';

/** The signers of a cluster, and what each may be used for. */
const signers: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/kube-apiserver-client', ['client auth', 'digital signature', 'key encipherment']],
  ['kubernetes.io/kube-apiserver-client-kubelet', ['client auth', 'digital signature', 'key encipherment']],
  ['kubernetes.io/kubelet-serving', ['server auth', 'digital signature', 'key encipherment']],
  ['kubernetes.io/legacy-unknown', []],
]);

function has({ status }: CertificateSigningRequest, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status !== 'False') ?? false;
}

export type SigningStep =
  | { readonly type: 'rest' }
  | { readonly type: 'sign' }
  | { readonly type: 'fail'; readonly message: string };

/** Whether a request is signed: somebody approved it, nobody denied it, and it asks for nothing its signer does not give. */
export function signingStep(request: CertificateSigningRequest): SigningStep {
  const { spec, status } = request;
  if (status?.certificate || !has(request, 'Approved') || has(request, 'Denied') || has(request, 'Failed'))
    return { type: 'rest' };
  const allowed = signers.get(spec.signerName);
  if (!allowed) return { type: 'rest' };
  const wrong = allowed.length === 0 ? undefined : spec.usages?.find((usage) => !allowed.includes(usage));
  return wrong === undefined
    ? { type: 'sign' }
    : { type: 'fail', message: `usages did not match: ${wrong} is not permitted for ${spec.signerName}` };
}

/** A node may renew its own client certificate without asking anybody. */
export function isSelfApproved({ spec, status }: CertificateSigningRequest): boolean {
  if ((status?.conditions?.length ?? 0) > 0) return false;
  return (
    spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet' &&
    (spec.username?.startsWith('system:node:') ?? false) &&
    (spec.groups?.includes('system:nodes') ?? false)
  );
}

import { readSigningRequest } from '@tektite/certificates';
import { equalJson, quoteGo } from '@tektite/meta';
import type { CertificateSigningRequest } from '@tektite/schema/kubernetes';
import type { Authorizer } from '../../auth/authorizer.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource, admissionForbidden } from '../admission.ts';

const group = 'certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

function isSigningRequest(request: AdmissionRequest, subresource: string): boolean {
  return isResource(request, group, 'certificatesigningrequests') && request.subresource === subresource;
}

/** Whether a user may act for a signer, or for all signers of its domain. */
function mayActFor(authorizer: Authorizer, { user }: AdmissionRequest, verb: string, signer: string): boolean {
  const [domain = ''] = signer.split('/');
  return [signer, `${domain}/*`].some(
    (name) =>
      authorizer.authorize({
        user,
        verb,
        isResourceRequest: true,
        group,
        resource: 'signers',
        subresource: '',
        namespace: '',
        name,
        path: '',
      }).allowed,
  );
}

/** Only those who may approve for a signer approve requests to it. */
export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate(request) {
      if (request.operation !== 'UPDATE' || !isSigningRequest(request, 'approval')) return;
      const { signerName = '' } = (request.oldObject as CertificateSigningRequest).spec ?? {};
      if (!mayActFor(authorizer, request, 'approve', signerName))
        throw admissionForbidden(
          request,
          `user not permitted to approve requests with signerName ${quoteGo(signerName)}`,
        );
    },
  };
}

/** Only those who may sign for a signer hand out certificates in its name. */
export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate(request) {
      if (request.operation !== 'UPDATE' || !isSigningRequest(request, 'status')) return;
      const old = request.oldObject as CertificateSigningRequest;
      const { status } = request.object as unknown as CertificateSigningRequest;
      const isSame =
        status?.certificate === old.status?.certificate &&
        equalJson(status?.conditions ?? [], old.status?.conditions ?? []);
      const { signerName = '' } = old.spec ?? {};
      if (!isSame && !mayActFor(authorizer, request, 'sign', signerName))
        throw admissionForbidden(request, `user not permitted to sign requests with signerName ${quoteGo(signerName)}`);
    },
  };
}

/** Denies client certificates of the group `system:masters`. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  async validate(request) {
    if (request.operation !== 'CREATE' || !isSigningRequest(request, '')) return;
    const { spec } = request.object as unknown as CertificateSigningRequest;
    if (spec?.signerName !== clientSigner) return;
    const organizations = await organizationsOf(request, spec.request ?? '');
    if (organizations.includes('system:masters'))
      throw admissionForbidden(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};

async function organizationsOf(request: AdmissionRequest, encoded: string): Promise<readonly string[]> {
  try {
    return (await readSigningRequest(Buffer.from(encoded, 'base64').toString('utf8'))).organizations;
  } catch (error) {
    throw admissionForbidden(request, `failed to parse CSR: ${(error as Error).message}`);
  }
}

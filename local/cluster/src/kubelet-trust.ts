import type { KubeletTrust } from '@tektite/apiserver';
import { issueCertificate } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import type { ClusterCertificates } from './cluster-options.ts';

/** The user as which the API server calls kubelets. A joined cluster binds it to the role `system:kubelet-api-admin`. */
const kubeletClient = 'kube-apiserver-kubelet-client';
/** Issued again long before it expires, and whenever the authority has changed. */
const renewAfterMs = 24 * 60 * 60 * 1000;

/** How the API server and the kubelets of other machines know each other: by the authority of the cluster. */
export function kubeletTrust(certificates: () => Promise<ClusterCertificates>): () => Promise<KubeletTrust> {
  let issued: { readonly at: number; readonly by: string; readonly identity: KubeletTrust['identity'] } | undefined;
  return async () => {
    const { authority, bundle } = await certificates();
    const now = systemClock.now();
    if (!issued || issued.by !== authority.certificate || now - issued.at > renewAfterMs) {
      const identity = await issueCertificate(authority, { commonName: kubeletClient }, systemClock);
      issued = { at: now, by: authority.certificate, identity };
    }
    return { identity: issued.identity, authorities: bundle };
  };
}

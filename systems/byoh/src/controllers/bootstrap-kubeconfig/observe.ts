import { type Client, kinds } from '@tektite/client';
import type { Secret } from '@tektite/schema/kubernetes';
import type { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { isExpired, tokenOwnerLabel } from './bootstrap-token.ts';

/** A BootstrapKubeconfig, as one reconcile observes it. */
export interface KubeconfigObservation {
  readonly object: BootstrapKubeconfig;
  /** The Secrets of its tokens. A token of a process that died before it wrote the status is found by its label. */
  readonly secrets: readonly Secret[];
  /** The users that have asked for a certificate. Read only where a token has expired. */
  readonly requesters: ReadonlySet<string>;
  readonly now: number;
}

export async function observeKubeconfig(
  client: Client,
  object: BootstrapKubeconfig,
  now: number,
): Promise<KubeconfigObservation> {
  const labelSelector = `${tokenOwnerLabel}=${object.metadata.uid ?? ''}`;
  const secrets = (await client.list(kinds.Secret, { namespace: 'kube-system', labelSelector })).items;
  // Clusters keep requests for at least an hour.
  const requests = secrets.some((secret) => isExpired(secret, now))
    ? (await client.list(kinds.CertificateSigningRequest)).items
    : [];
  return { object, secrets, requesters: new Set(requests.map(({ spec }) => spec.username ?? '')), now };
}

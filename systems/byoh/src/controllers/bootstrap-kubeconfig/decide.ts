import type { Secret } from '@tektite/schema/kubernetes';
import type { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { isExpired, readToken } from './bootstrap-token.ts';
import type { KubeconfigObservation } from './observe.ts';

/** The plan for the token of a BootstrapKubeconfig. */
export type TokenPlan =
  /** Its token was used, and is not replaced. */
  | { readonly type: 'nothing' }
  | { readonly type: 'wait'; readonly requeueMs: number }
  /** Deletes expired tokens, and publishes one that is good: a new one where there is none. */
  | { readonly type: 'publish'; readonly expired: readonly Secret[]; readonly usable: Secret | undefined };

/** Whether a BootstrapKubeconfig is reconciled. One without a time is upstream's, which are made once and for all. */
export function isManaged({ spec, status }: BootstrapKubeconfig): boolean {
  return spec !== undefined && (!status?.bootstrapKubeconfigData || Boolean(status.expirationTime));
}

/** A token that expired unused is replaced; a used one is not: it served its purpose, and must not stay good for ever. */
export function decideToken({ object, secrets, requesters, now }: KubeconfigObservation): TokenPlan {
  const expired = secrets.filter((secret) => isExpired(secret, now));
  const expires = Date.parse(object.status?.expirationTime ?? '');
  // Its token may have been deleted by an administrator: it is not replaced before its time.
  if (now < expires && expired.length === secrets.length) return { type: 'wait', requeueMs: expires - now };
  if (expired.some((secret) => requesters.has(`system:bootstrap:${readToken(secret).id}`))) return { type: 'nothing' };
  return { type: 'publish', expired, usable: secrets.find((secret) => !isExpired(secret, now)) };
}

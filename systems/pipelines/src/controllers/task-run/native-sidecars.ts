import type { Client } from '@tektite/client';
import type { FeatureFlags } from '../../config/feature-flags.ts';

/** Servers of this minor version of Kubernetes 1 and later keep init containers with `restartPolicy: Always` running. */
const firstMinor = 29;

/** Whether sidecars are init containers: the flag wants it, and the server has them. Asks the server once, and only with the flag. */
export class NativeSidecars {
  private answer: boolean | undefined;

  async areUsed(flags: FeatureFlags, client: Client, signal: AbortSignal): Promise<boolean> {
    if (!flags.enableKubernetesSidecar) return false;
    this.answer ??= hasNativeSidecars((await client.request({ method: 'GET', path: '/version', signal })).body);
    return this.answer;
  }
}

/** By the body of `/version`. Managed clusters append a plus sign to the minor version. */
export function hasNativeSidecars(version: unknown): boolean {
  const { major = '', minor = '' } = (version ?? {}) as { readonly major?: string; readonly minor?: string };
  return Number(major) > 1 || (Number(major) === 1 && Number(minor.replace(/\+$/, '')) >= firstMinor);
}

import { chainsSystem } from '@tektite/chains';
import type { System } from '@tektite/controller';

/** Tekton Chains with a key of its own where the cluster has none: runs are signed from the first one on. */
export const chains: System = chainsIn(process.env.SYSTEM_NAMESPACE || undefined);

/** Where a release is installed. */
export function chainsIn(namespace: string | undefined): System {
  return chainsSystem({ generatesKey: true, ...(namespace ? { namespace } : {}) });
}

import { chainsSystem } from '@tektite/chains';
import type { System } from '@tektite/controller';

/** Where an operator put the settings; the usual one otherwise. */
const namespace = process.env.SYSTEM_NAMESPACE;

/** Tekton Chains with a key of its own where the cluster has none: runs are signed from the first one on. */
export const chains: System = chainsSystem({ generatesKey: true, ...(namespace ? { namespace } : {}) });

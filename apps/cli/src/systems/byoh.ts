import { byohSystem } from '@tektite/byoh';
import type { System } from '@tektite/controller';

const { env } = process;

/** Options of the manager and the installer from the environment; see docs/byoh.md. */
const options = {
  ...(env.SYSTEM_NAMESPACE ? { namespace: env.SYSTEM_NAMESPACE } : {}),
  // As upstream's manager reads it.
  manualCsrApproval: env.MANUAL_CSR_APPROVAL === 'enable',
  crossNamespaceHosts: env.BYOH_CROSS_NAMESPACE_HOSTS === 'true',
  waitForHostCleanup: env.BYOH_WAIT_HOST_CLEANUP === 'true',
  standsInForClusterApi: env.BYOH_STAND_IN_FOR_CLUSTER_API !== 'false',
  fixedEndpoints: env.BYOH_FIXED_ENDPOINTS !== 'false',
  strictVersion: env.BYOH_STRICT_VERSION !== 'false',
  managers: listOf(env.BYOH_MANAGERS),
  adminGroups: listOf(env.BYOH_ADMIN_GROUPS),
};

function listOf(text = ''): readonly string[] {
  return text.split(',').filter((each) => each !== '');
}

export const byoh: System = byohSystem(options);
export const byohManager: System = byohSystem({ ...options, parts: 'manager' });
export const byohInstaller: System = byohSystem({ ...options, parts: 'installer' });

/** Where a release is installed. */
export function byohIn(namespace: string): System {
  return byohSystem({ namespace, standsInForClusterApi: true, fixedEndpoints: true });
}

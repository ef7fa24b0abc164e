import type { ByoHost } from './byo-host.ts';
import { conditionOf } from './cluster-condition.ts';

/** Whether Kubernetes is installed on a host. */
export const installationCondition = 'K8sComponentsInstallationSucceeded';
/** Whether a host is a node. */
export const bootstrapCondition = 'K8sNodeBootstrapSucceeded';
/** Whether the agent of a host sends heartbeats. Ours; hosts whose agent has no heartbeat do not have it. */
export const heartbeatCondition = 'HostAgentAlive';
/** Whether a machine has a host that is a node. */
export const hostReadyCondition = 'BYOHostReady';
/** The reason at which installers begin. */
export const installerGate = 'InstallationSecretNotAvailable';

/** The terminal failure of a host, if any. */
export function failureOf({ status }: ByoHost): { readonly reason: string; readonly message: string } | undefined {
  for (const type of [installationCondition, bootstrapCondition]) {
    const { status: state, severity, reason = '', message = '' } = conditionOf(status?.conditions, type) ?? {};
    if (state === 'False' && severity === 'Error') return { reason, message };
  }
  return undefined;
}

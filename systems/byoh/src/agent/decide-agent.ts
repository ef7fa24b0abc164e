import type { ByoHost } from '../kinds/byo-host.ts';
import { type ConditionText, isTrue } from '../kinds/cluster-condition.ts';
import { bootstrapCondition, installationCondition } from '../kinds/host-conditions.ts';
import { isPausedObject } from '../lookups.ts';
import { cleanupAnnotation } from '../wire-names.ts';
import type { AgentState } from './agent-state.ts';

/** The next step of an agent for its host. */
export type AgentStep =
  | { readonly type: 'nothing'; readonly why: string }
  | { readonly type: 'mark'; readonly condition: ConditionText }
  | { readonly type: 'cleanup' }
  /** Install if that is not done yet, then bootstrap. */
  | { readonly type: 'work'; readonly installs: boolean };

/**
 * Decides from the desired state in the API and the local progress. A cleanup comes before all else, also before
 * another machine: a host is released clean or not at all.
 */
export function decideAgent(host: ByoHost, state: AgentState, skipInstallation: boolean): AgentStep {
  const { metadata, spec, status } = host;
  if (isPausedObject(host)) return { type: 'nothing', why: 'it is paused' };
  if (Object.hasOwn(metadata.annotations ?? {}, cleanupAnnotation)) return { type: 'cleanup' };
  if (metadata.deletionTimestamp !== undefined) return { type: 'nothing', why: 'it is being deleted' };
  const { machineRef, conditions } = status ?? {};
  if (!machineRef) return waits(bootstrapCondition, 'WaitingForMachineRefToBeAssigned', 'no ByoMachine has this host');
  if (!spec?.bootstrapSecret?.name)
    return waits(bootstrapCondition, 'BootstrapDataSecretUnavailable', 'the ByoMachine has no bootstrap data yet');
  if (isTrue(conditions, bootstrapCondition)) return { type: 'nothing', why: 'it is a node' };
  const isSame = state.machine === machineRef.uid;
  // Done, and not reported: the process died in between, or reads an older state of its host than it wrote.
  if (isSame && state.bootstrap === 'done')
    return { type: 'mark', condition: { type: bootstrapCondition, status: 'True' } };
  if (skipInstallation || (isSame && state.install === 'done')) return { type: 'work', installs: false };
  if (!spec.installationSecret?.name)
    return waits(
      installationCondition,
      'K8sInstallationSecretUnavailable',
      'the installer has no scripts for this host yet',
    );
  return { type: 'work', installs: true };
}

function waits(type: string, reason: string, message: string): AgentStep {
  return { type: 'mark', condition: { type, status: 'False', reason, severity: 'Info', message } };
}

import type { System } from '@tektite/controller';
import { triggersSystem } from '@tektite/triggers';
import { listenAddress } from './listen-address.ts';

/** Where an operator put the settings; the usual one otherwise. */
const namespace = process.env.SYSTEM_NAMESPACE;
/** The address of the Pod that this runs in. */
const podAddress = process.env.POD_IP;
/** Where events arrive on this machine: `ADDRESS:PORT`. */
const listenVariable = 'TEKTITE_EVENTS_ADDRESS';

/** Tekton Triggers. In a Pod, the Services of listeners lead here; on a machine, events arrive at one address. */
export const triggers: System = triggersSystem({
  listen: listenAddress(listenVariable, process.env[listenVariable] ?? '127.0.0.1:0'),
  ...(namespace ? { namespace } : {}),
  // Endpoints may not be loopback addresses.
  ...(podAddress && !podAddress.startsWith('127.') && podAddress !== '::1' ? { clusterAddress: podAddress } : {}),
});

/** Where a release is installed. */
export function triggersIn(systemNamespace: string): System {
  return triggersSystem({ namespace: systemNamespace });
}

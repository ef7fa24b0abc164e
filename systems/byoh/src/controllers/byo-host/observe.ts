import { kinds } from '@tektite/client';
import { mapped, type ReconcileContext } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import type { Lease } from '@tektite/schema/kubernetes';
import { findObject } from '../../find-object.ts';
import { heartbeatName, hostOfHeartbeat } from '../../host/host-access.ts';
import { homeName, hostOfHome, namespaceOfHome } from '../../host/host-home.ts';
import { hostsByName } from '../../host/hosts-by-name.ts';
import type { ByoHost } from '../../kinds/byo-host.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { hostPartLabel } from '../../wire-names.ts';

export type HostSources = ReturnType<typeof hostSources>;

/** All watches of the controller of ByoHosts. `records` is the namespace of the records of homes. */
export function hostSources(records: string) {
  return {
    heartbeats: mapped(
      kinds.Lease,
      ({ metadata }) => [cacheKey({ namespace: metadata.namespace ?? '', name: hostOfHeartbeat({ metadata }) })],
      { labelSelector: hostPartLabel },
    ),
    homes: mapped(
      kinds.ConfigMap,
      (record, own) => [...own.keys()].filter((key) => key.endsWith(`/${hostOfHome(record)}`)),
      { namespace: records, predicate: ({ object }) => hostOfHome(object) !== undefined },
    ),
    // Seldom, and then it may be any host's.
    machines: mapped(ByoMachine, (_, own) => own.keys(), { predicate: ({ type }) => type === 'deleted' }),
    hostsByName,
  };
}

/** The recorded home of a host; undefined when none is recorded yet. */
export function observeHome(
  records: string,
  { homes }: HostSources,
  { cache, name }: ReconcileContext,
): string | undefined {
  const record = cache(homes).get(cacheKey({ namespace: records, name: homeName(name) }));
  return record && namespaceOfHome(record);
}

/** Whether the machine of the host is deleted. The cache may be behind: only the API knows. */
export async function observeOrphan(
  { status }: ByoHost,
  { machines }: HostSources,
  { cache, client, signal }: ReconcileContext,
): Promise<boolean> {
  const { namespace = '', name, uid } = status?.machineRef ?? {};
  if (!name || cache(machines).get(cacheKey({ namespace, name }))?.metadata.uid === uid) return false;
  return (await findObject(client, ByoMachine, namespace, name, signal))?.metadata.uid !== uid;
}

/** The heartbeat of the agent, as the cache has it. */
export function observeHeartbeat(
  { heartbeats }: HostSources,
  { cache, namespace = '', name }: ReconcileContext,
): Lease | undefined {
  return cache(heartbeats).get(cacheKey({ namespace, name: heartbeatName(name) }));
}

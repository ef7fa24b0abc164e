import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { hasOwner } from '@tektite/meta';
import { findObject } from '../../find-object.ts';
import { ByoHost } from '../../kinds/byo-host.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { patchObject } from '../../patch-object.ts';
import { hostPartLabel } from '../../wire-names.ts';
import { decideHost } from './decide.ts';
import { createHeartbeat, heartbeatName, hostOfHeartbeat } from '../../host/host-access.ts';
import { hostsByName } from '../../host/hosts-by-name.ts';
import { claimHome, homeName, hostOfHome, namespaceOfHome } from '../../host/host-home.ts';
import type { HomeOptions } from './home-controllers.ts';

/** The manager's side of hosts: their home, their heartbeat, and the way out when their machine is deleted. */
export function hostController({ records }: HomeOptions): ControllerDefinition {
  const heartbeats = mapped(
    kinds.Lease,
    ({ metadata }) => [cacheKey({ namespace: metadata.namespace ?? '', name: hostOfHeartbeat({ metadata }) })],
    { labelSelector: hostPartLabel },
  );
  const homes = mapped(
    kinds.ConfigMap,
    (record, own) => [...own.keys()].filter((key) => key.endsWith(`/${hostOfHome(record)}`)),
    { namespace: records, predicate: ({ object }) => hostOfHome(object) !== undefined },
  );
  // Seldom, and then it may be any host's.
  const machines = mapped(ByoMachine, (_, own) => own.keys(), { predicate: ({ type }) => type === 'deleted' });
  return defineController({
    name: 'byohost',
    kind: ByoHost,
    sources: [heartbeats, homes, hostsByName, machines],
    async reconcile(host, { client, cache, clock, namespace = '', name, signal, log, event }) {
      if (host.metadata.deletionTimestamp !== undefined) return undefined;
      const record = cache(homes).get(cacheKey({ namespace: records, name: homeName(name) }));
      const home = record
        ? namespaceOfHome(record)
        : await claimHome(
            client,
            records,
            name,
            firstNamespace(cache(hostsByName).byIndex('name', name), host),
            signal,
          );
      if (home !== namespace) {
        const message = home ? `the host ${name} belongs to another namespace` : `the host ${name} has no rights`;
        event({ type: 'Warning', reason: 'NotAtHome', message: `${message}; see the ConfigMap ${homeName(name)}` });
        return undefined;
      }
      const { namespace: machineNamespace = '', name: machineName, uid } = host.status?.machineRef ?? {};
      let isOrphan = false;
      if (
        machineName &&
        cache(machines).get(cacheKey({ namespace: machineNamespace, name: machineName }))?.metadata.uid !== uid
      ) {
        // The cache may be behind: only the API knows.
        const machine = await findObject(client, ByoMachine, machineNamespace, machineName, signal);
        isOrphan = machine?.metadata.uid !== uid;
      }
      const heartbeat = cache(heartbeats).get(cacheKey({ namespace, name: heartbeatName(name) }));
      if (!heartbeat || !hasOwner(heartbeat, host)) await createHeartbeat(client, host, signal);
      const decision = decideHost({ host, heartbeat, isOrphan, now: clock.now() });
      if (decision.host !== host) {
        if (isOrphan) log.info('its machine is deleted; cleaning up', { machine: machineName });
        await patchObject(client, ByoHost, host, decision.host, signal);
      }
      return decision.againMs === undefined ? undefined : requeueAfter(decision.againMs);
    },
  });
}

/**
 * The home of a host that registered with an earlier version: where it is. Under that version a host could enter other
 * namespaces later, so the oldest ByoHost of the name counts.
 */
function firstNamespace(same: readonly ByoHost[], host: ByoHost): string {
  const age = ({ metadata }: ByoHost) => `${metadata.creationTimestamp} ${metadata.namespace}`;
  const [first = host] = same.toSorted((a, b) => age(a).localeCompare(age(b)));
  return first.metadata.namespace ?? '';
}

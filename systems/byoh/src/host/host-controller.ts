import { kinds } from '@tektite/client';
import {
  cacheKey,
  type ControllerDefinition,
  defineController,
  mapped,
  owned,
  requeueAfter,
} from '@tektite/controller';
import { equalJson } from '@tektite/meta';
import { findObject } from '../find-object.ts';
import { ByoHost } from '../kinds/byo-host.ts';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { patchObject } from '../patch-object.ts';
import { hostPartLabel } from '../wire-names.ts';
import { decideHost } from './decide-host.ts';
import { grant, heartbeatName, hostOfHeartbeat, ownAccess } from './host-access.ts';

/** The manager's side of hosts: their heartbeat, their rights, and the way out when their machine is gone. */
export function hostController(): ControllerDefinition {
  const heartbeats = mapped(
    kinds.Lease,
    ({ metadata }) => [cacheKey({ namespace: metadata.namespace ?? '', name: hostOfHeartbeat({ metadata }) })],
    { labelSelector: hostPartLabel },
  );
  const roles = owned(kinds.Role, { labelSelector: hostPartLabel });
  // Seldom, and then it may be any host's.
  const machines = mapped(ByoMachine, (_, own) => own.keys(), { predicate: ({ type }) => type === 'deleted' });
  return defineController({
    name: 'byohost',
    kind: ByoHost,
    sources: [heartbeats, roles, machines],
    async reconcile(host, { client, cache, clock, namespace = '', name, signal, log }) {
      if (host.metadata.deletionTimestamp !== undefined) return undefined;
      const access = ownAccess(host);
      const [role] = cache(roles).ownedBy(host);
      if (!role || !equalJson(role.rules, access.role.rules)) await grant(client, access, signal);
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
      const decision = decideHost({ host, heartbeat, isOrphan, now: clock.now() });
      if (decision.host !== host) {
        if (isOrphan) log.info('its machine is gone; it is cleaned up', { machine: machineName });
        await patchObject(client, ByoHost, host, decision.host, signal);
      }
      return decision.againMs === undefined ? undefined : requeueAfter(decision.againMs);
    },
  });
}

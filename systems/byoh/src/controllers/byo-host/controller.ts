import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { hasOwner } from '@tektite/meta';
import { createHeartbeat } from '../../host/host-access.ts';
import { claimHome } from '../../host/host-home.ts';
import { ByoHost } from '../../kinds/byo-host.ts';
import { patchObject } from '../../patch-object.ts';
import { decideHost, firstNamespace, notAtHomeEvent } from './decide.ts';
import type { HomeOptions } from './home-controllers.ts';
import { hostSources, observeHeartbeat, observeHome, observeOrphan } from './observe.ts';

/** The manager's side of hosts: their home, their heartbeat, and the way out when their machine is deleted. */
export function hostController({ records }: HomeOptions): ControllerDefinition {
  const sources = hostSources(records);
  return defineController({
    name: 'byohost',
    kind: ByoHost,
    sources: Object.values(sources),
    async reconcile(host, context) {
      const { client, cache, clock, namespace = '', name, signal, log, event } = context;
      if (host.metadata.deletionTimestamp !== undefined) return undefined;
      const first = firstNamespace(cache(sources.hostsByName).byIndex('name', name), host);
      const home = observeHome(records, sources, context) ?? (await claimHome(client, records, name, first, signal));
      if (home !== namespace) {
        event(notAtHomeEvent(name, home));
        return undefined;
      }
      const isOrphan = await observeOrphan(host, sources, context);
      const heartbeat = observeHeartbeat(sources, context);
      if (!heartbeat || !hasOwner(heartbeat, host)) await createHeartbeat(client, host, signal);
      const decision = decideHost({ host, heartbeat, isOrphan, now: clock.now() });
      if (decision.host !== host) {
        if (isOrphan) log.info('its machine is deleted; cleaning up', { machine: host.status?.machineRef?.name });
        await patchObject(client, ByoHost, host, decision.host, signal);
      }
      return decision.againMs === undefined ? undefined : requeueAfter(decision.againMs);
    },
  });
}

import type { Client } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { findObject } from '../find-object.ts';
import type { InstallerConfig } from '../installer/decide-installer.ts';
import { ByoHost } from '../kinds/byo-host.ts';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { Cluster, Machine } from '../kinds/cluster-api.ts';
import { clusterNameOf, ownerOf } from '../lookups.ts';
import { kindOfTemplate } from '../machine/clone-template.ts';
import { belongsTo } from '../host/machine-label.ts';
import { clusterApiGroup } from '../wire-names.ts';
import type { ExplainSnapshot } from './explain-machine.ts';

/** Reads all that there is to know about a machine. Throws when there is no such machine. */
export async function observeMachine(client: Client, namespace: string, name: string): Promise<ExplainSnapshot> {
  const machine = await client.get(ByoMachine, { namespace, name });
  const reference = ownerOf(machine, clusterApiGroup, 'Machine');
  const hosts = (await client.list(ByoHost)).items;
  const { apiVersion = '', kind = '' } = machine.spec?.installerRef ?? {};
  const made = kindOfTemplate(kind);
  const config = made && (await findObject<DynamicObject>(client, { apiVersion, kind: made }, namespace, name));
  return {
    machine,
    owner: await findObject(client, Machine, namespace, reference?.name),
    cluster: await findObject(client, Cluster, namespace, clusterNameOf(machine)),
    config: (config || undefined) as InstallerConfig | undefined,
    attached: hosts.find((host) => belongsTo(host, machine)),
    hosts: hosts.filter(({ metadata }) => metadata.namespace === namespace),
  };
}

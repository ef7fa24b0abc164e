import { kinds } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import type { Secret } from '@tektite/schema/kubernetes';
import { findObject } from '../../find-object.ts';
import {
  type InstallerConfig,
  type InstallerSnapshot,
  type NameSnapshot,
  secretNames,
} from '../../installer/decide-installer.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster, Machine } from '../../kinds/cluster-api.ts';
import { clusterNameOf, ownerOf } from '../../lookups.ts';
import { clusterApiGroup, group } from '../../wire-names.ts';

/** The machine of a config, and its Cluster. `find` reads a ByoMachine from the cache. */
export async function observeInstaller(
  config: InstallerConfig,
  { client, namespace = '' }: ReconcileContext,
  find: (name: string) => ByoMachine | undefined,
): Promise<InstallerSnapshot> {
  const owner = ownerOf(config, group, 'ByoMachine');
  const cached = owner && find(owner.name);
  const machine = cached?.metadata.uid === owner?.uid ? cached : undefined;
  const cluster = machine && (await findObject(client, Cluster, namespace, clusterNameOf(machine)));
  return { config, machine, cluster };
}

/** The Secrets that hold the names which might be taken. */
export async function observeNames(
  config: InstallerConfig,
  machine: ByoMachine,
  { client, namespace = '' }: ReconcileContext,
): Promise<NameSnapshot> {
  const secrets = new Map<string, Secret>();
  for (const name of secretNames(config)) {
    const secret = await findObject(client, kinds.Secret, namespace, name);
    if (secret) secrets.set(name, secret);
  }
  const owner = ownerOf(machine, clusterApiGroup, 'Machine');
  const found = await findObject(client, Machine, namespace, owner?.name);
  return { config, bootstrapSecretName: found?.spec?.bootstrap?.dataSecretName, secrets };
}

import type { KubeObject } from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { conditionOf } from '../kinds/cluster-condition.ts';
import type { Cluster } from '../kinds/cluster-api.ts';
import { hostReadyCondition, installerGate } from '../kinds/host-conditions.ts';
import type { InstallerStatus } from '../kinds/k8s-installer-config.ts';
import { isPaused, ownerOf } from '../lookups.ts';
import { group } from '../wire-names.ts';

/** A config of any installer. */
export interface InstallerConfig extends KubeObject {
  readonly spec?: unknown;
  readonly status?: InstallerStatus;
}

/** The observed objects of one config. Objects that do not exist are undefined. */
export interface InstallerSnapshot {
  readonly config: InstallerConfig;
  /** The ByoMachine that owns the config. */
  readonly machine: ByoMachine | undefined;
  /** The Cluster that the ByoMachine says it belongs to. */
  readonly cluster: Cluster | undefined;
}

/** Whether an installer may produce now. */
export type Gate =
  | { readonly type: 'wait'; readonly why: string }
  | { readonly type: 'retry'; readonly error: string }
  | { readonly type: 'open'; readonly machine: ByoMachine; readonly cluster: Cluster };

/**
 * The exits of the contract, in its order: no machine, no cluster, paused, a machine that does not wait for scripts, a config
 * that has them; and a host of which nothing is known yet, because its facts may be written after the condition.
 */
export function installerGateOf({ config, machine, cluster }: InstallerSnapshot): Gate {
  if (config.metadata.deletionTimestamp !== undefined) return wait('it is being deleted');
  if (!ownerOf(config, group, 'ByoMachine') || !machine) return wait('no ByoMachine owns it');
  if (!cluster) return { type: 'retry', error: `the Cluster of ByoMachine ${machine.metadata.name} cannot be found` };
  if (isPaused(cluster, config)) return wait('it or its Cluster is paused');
  const { reason = '', status } = conditionOf(machine.status?.conditions, hostReadyCondition) ?? {};
  if (status === 'True' || reason !== installerGate)
    return wait(
      `${hostReadyCondition} of the ByoMachine has the reason ${JSON.stringify(reason)}, not ${installerGate}`,
    );
  if (config.status?.ready) return wait('it is ready');
  const { osimage, osname, architecture } = machine.status?.hostinfo ?? {};
  if (!osimage && !osname && !architecture) return wait('nothing is known of the host yet');
  return { type: 'open', machine, cluster };
}

function wait(why: string): Gate {
  return { type: 'wait', why };
}

/** The Secrets that hold the names which might be taken. */
export interface NameSnapshot {
  readonly config: InstallerConfig;
  /** How the machine's bootstrap Secret is called: newer versions of Cluster API give it the machine's own name. */
  readonly bootstrapSecretName: string | undefined;
  readonly secrets: ReadonlyMap<string, Secret>;
}

export type SecretPlan =
  /** There is none of this name: make one. */
  | { readonly type: 'create'; readonly name: string }
  /** An earlier run made it, and it is whole. */
  | { readonly type: 'adopt'; readonly name: string }
  /** An earlier run made it, and a script is missing. */
  | { readonly type: 'refill'; readonly secret: Secret; readonly name: string }
  | { readonly type: 'conflict'; readonly message: string };

/** The names in the order in which they are tried: the config's own, and one for when that belongs to another owner. */
export function secretNames(config: InstallerConfig): readonly [string, string] {
  const { name = '' } = config.metadata;
  return [name, `${name}-install`];
}

/** Chooses the Secret that holds the scripts. Always the same one for the same config; never one of another owner. */
export function planSecret({ config, bootstrapSecretName, secrets }: NameSnapshot): SecretPlan {
  for (const name of secretNames(config)) {
    if (name === bootstrapSecretName) continue;
    const secret = secrets.get(name);
    if (!secret) return { type: 'create', name };
    if (!secret.metadata.ownerReferences?.some(({ uid }) => uid === config.metadata.uid)) continue;
    const isWhole = Boolean(secret.data?.['install'] && secret.data['uninstall']);
    return isWhole ? { type: 'adopt', name } : { type: 'refill', secret, name };
  }
  const [first, second] = secretNames(config);
  return { type: 'conflict', message: `the Secrets ${first} and ${second} both belong to other owners` };
}

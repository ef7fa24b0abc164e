import { type KubeObject, ownerReference, TerminalError } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Secret } from '@tektite/schema/kubernetes';
import { type InstallerConfig, type NameSnapshot, planSecret } from '../../installer/decide-installer.ts';
import type { Generated } from '../../installer/k8s-scripts.ts';
import type { HostInfo } from '../../kinds/byo-host.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { clusterNameOf } from '../../lookups.ts';
import { clusterNameLabel, secretType, versionAnnotation } from '../../wire-names.ts';

/** The installer that makes the scripts for configs of a kind. */
export interface ScriptGenerator<T extends KubeObject> {
  readonly kind: Pick<Kind<T>, 'group' | 'version' | 'kind'>;
  /** The scripts for a host. Has to be pure: the same input gives the same bytes. */
  generate(host: HostInfo, k8sVersion: string, config: T): Generated;
}

/** The write of the Secret with the scripts of a config. */
export type ScriptPlan =
  | { readonly type: 'create'; readonly name: string; readonly secret: Secret }
  | { readonly type: 'update'; readonly name: string; readonly secret: Secret }
  /** An earlier reconcile wrote it. */
  | { readonly type: 'adopt'; readonly name: string }
  | { readonly type: 'failed'; readonly failureReason: string; readonly failureMessage: string };

/** Decides which Secret holds the scripts of a config, and what is in it. */
export function decideScripts<T extends KubeObject>(
  { kind, generate }: ScriptGenerator<T>,
  config: T & InstallerConfig,
  machine: ByoMachine,
  names: NameSnapshot,
): ScriptPlan {
  const plan = planSecret(names);
  if (plan.type === 'conflict')
    return { type: 'failed', failureReason: 'SecretNameConflict', failureMessage: plan.message };
  if (plan.type === 'adopt') return plan;
  const version = config.metadata.annotations?.[versionAnnotation] ?? '';
  const made = generate(machine.status?.hostinfo ?? {}, version, config);
  if (!made.ok) return { type: 'failed', failureReason: made.failureReason, failureMessage: made.failureMessage };
  const secret = secretFor(kind, config, plan.name, clusterNameOf(machine) ?? '', made.scripts);
  if (plan.type === 'create') return { ...plan, secret };
  return { type: 'update', name: plan.name, secret: { ...plan.secret, data: secret.data ?? {} } };
}

/** The Secret as the contract has it. */
function secretFor(
  { group: kindGroup, version, kind }: Pick<Kind, 'group' | 'version' | 'kind'>,
  config: InstallerConfig,
  name: string,
  cluster: string,
  { install, uninstall }: { readonly install: string; readonly uninstall: string },
): Secret {
  if (install === '') throw new TerminalError('the installer made an empty install script');
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const owner = ownerReference({ ...config, apiVersion: `${kindGroup}/${version}`, kind });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: config.metadata.namespace ?? '',
      labels: { [clusterNameLabel]: cluster },
      ownerReferences: [{ ...owner, controller: true }],
    },
    type: secretType,
    data: { install: encode(install), uninstall: encode(uninstall) },
  };
}

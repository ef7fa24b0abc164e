import { kinds } from '@tektite/client';
import {
  Channel,
  type ControllerDefinition,
  defineController,
  mapped,
  type ReconcileContext,
} from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { type KubeObject, ownerReference, TerminalError } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Secret } from '@tektite/schema/kubernetes';
import { findObject } from '../../find-object.ts';
import type { HostInfo } from '../../kinds/byo-host.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster, Machine } from '../../kinds/cluster-api.ts';
import type { InstallerStatus } from '../../kinds/k8s-installer-config.ts';
import { clusterNameOf, ownerOf } from '../../lookups.ts';
import { clusterApiGroup, clusterNameLabel, group, secretType, versionAnnotation } from '../../wire-names.ts';
import { type InstallerConfig, installerGateOf, planSecret, secretNames } from '../../installer/decide-installer.ts';
import type { Generated } from '../../installer/k8s-scripts.ts';

export interface InstallerOptions<T extends KubeObject> {
  /** For logs, metrics and Leases. */
  readonly name: string;
  readonly kind: Kind<T>;
  /** Keeps configs until this controller has seen that they go. */
  readonly finalizer?: string;
  /** The scripts for a host. Has to be pure: the same input gives the same bytes. */
  generate(host: HostInfo, k8sVersion: string, config: T): Generated;
  /** Enqueues all configs, when a dependency of `generate` changed. */
  readonly nudges?: Channel;
}

/**
 * A controller that follows the installer contract: gives each config a Secret with an install and an uninstall script,
 * once its machine waits for them. Other installers can be built with it, see `examples/echo-installer`.
 */
export function installerController<T extends KubeObject>(options: InstallerOptions<T>): ControllerDefinition {
  const machines = mapped(ByoMachine, ({ metadata }) => [cacheKey(metadata)]);
  const { finalizer } = options;
  return defineController<T>({
    name: options.name,
    kind: options.kind,
    sources: [machines, ...(options.nudges ? [options.nudges] : [])],
    // The Secret goes with the config, which owns it.
    ...(finalizer === undefined ? {} : { finalizer: { name: finalizer, cleanup: () => undefined } }),
    async reconcile(object, context) {
      const config = object as unknown as InstallerConfig;
      const { client, namespace = '', log, writeStatus } = context;
      const owner = ownerOf(config, group, 'ByoMachine');
      const cached = owner && context.cache(machines).get(cacheKey({ namespace, name: owner.name }));
      const machine = cached?.metadata.uid === owner?.uid ? cached : undefined;
      const cluster = machine && (await findObject(client, Cluster, namespace, clusterNameOf(machine)));
      const gate = installerGateOf({ config, machine, cluster });
      if (gate.type === 'wait') return log.debug('waits', { why: gate.why });
      if (gate.type === 'retry') throw new Error(gate.error);
      const put = (status: InstallerStatus) => writeStatus(config, status as never);
      const ready = await produce(options, object, gate.machine, context);
      if ('failureReason' in ready) {
        log.warn('cannot make scripts', { ...ready });
        await put({ ...config.status, ready: false, ...ready });
        return;
      }
      await put({ installationSecret: { kind: 'Secret', apiVersion: 'v1', namespace, name: ready.name }, ready: true });
    },
  });
}

interface Failure {
  readonly failureReason: string;
  readonly failureMessage: string;
}

async function produce<T extends KubeObject>(
  { kind, generate }: InstallerOptions<T>,
  object: T,
  machine: ByoMachine,
  { client, namespace = '' }: ReconcileContext,
): Promise<Failure | { readonly name: string }> {
  const config = object as unknown as InstallerConfig;
  const secrets = new Map<string, Secret>();
  for (const name of secretNames(config)) {
    const secret = await findObject(client, kinds.Secret, namespace, name);
    if (secret) secrets.set(name, secret);
  }
  const owner = ownerOf(machine, clusterApiGroup, 'Machine');
  const bootstrapSecretName = (await findObject(client, Machine, namespace, owner?.name))?.spec?.bootstrap
    ?.dataSecretName;
  const plan = planSecret({ config, bootstrapSecretName, secrets });
  if (plan.type === 'conflict') return { failureReason: 'SecretNameConflict', failureMessage: plan.message };
  if (plan.type === 'adopt') return plan;
  const version = config.metadata.annotations?.[versionAnnotation] ?? '';
  const made = generate(machine.status?.hostinfo ?? {}, version, object);
  if (!made.ok) return { failureReason: made.failureReason, failureMessage: made.failureMessage };
  const secret = secretFor(kind as unknown as Kind, config, plan.name, clusterNameOf(machine) ?? '', made.scripts);
  if (plan.type === 'create') await client.create(kinds.Secret, secret);
  else await client.update(kinds.Secret, { ...plan.secret, data: secret.data ?? {} });
  return plan;
}

/** The Secret as the contract has it. */
function secretFor(
  { group: kindGroup, version, kind }: Kind,
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

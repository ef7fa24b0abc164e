import type { Client } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { type DynamicObject, hasOwner, parseApiVersion } from '@tektite/meta';
import { findObject } from '../../find-object.ts';
import { plainVersion } from '../../host/change-host.ts';
import { homeName, namespaceOfHome } from '../../host/host-home.ts';
import { belongsTo, machineLabel } from '../../host/machine-label.ts';
import type { ByoHost } from '../../kinds/byo-host.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { isTrue } from '../../kinds/cluster-condition.ts';
import { bootstrapCondition } from '../../kinds/host-conditions.ts';
import { clusterNameOf, ownerOf } from '../../lookups.ts';
import { kindOfTemplate } from '../../machine/clone-template.ts';
import { clusterApiGroup, clusterNameLabel } from '../../wire-names.ts';
import type { MachineSnapshot } from './decide.ts';
import type { HostClaims } from './host-claims.ts';
import type { InstallerConfigs } from './installer-configs.ts';
import type { MachineControllerOptions } from './machine-options.ts';
import type { MachineSources } from './machine-sources.ts';

/** State and settings that all reconciles share. */
export interface MachineServices {
  readonly options: MachineControllerOptions;
  readonly sources: MachineSources;
  readonly configs: InstallerConfigs;
  readonly claims: HostClaims;
}

/** Observes a machine and everything that its next step depends on. Returns a reason where it has to wait for another object. */
export async function observe(
  machine: ByoMachine,
  context: ReconcileContext,
  { options, sources, configs, claims }: MachineServices,
): Promise<MachineSnapshot | string> {
  const { client, cache, namespace = '', name, clock } = context;
  const reference = ownerOf(machine, clusterApiGroup, 'Machine');
  if (!reference) return 'no Machine owns it';
  const owner = cache(sources.owners).get(cacheKey({ namespace, name: reference.name }));
  if (!owner) return `Machine ${reference.name} cannot be found`;
  const clusterName = clusterNameOf(machine);
  if (!clusterName) return `it has no label ${clusterNameLabel}`;
  const cluster = cache(sources.clusters).get(cacheKey({ namespace, name: clusterName }));
  if (!cluster) return `Cluster ${clusterName} cannot be found`;
  const byoCluster = cache(sources.byoClusters).get(
    cacheKey({ namespace, name: cluster.spec?.infrastructureRef?.name ?? '' }),
  );
  // A host that entered a namespace which is not its home is none for machines.
  const isCandidate = ({ metadata }: ByoHost) => {
    const record = cache(sources.homes).get(
      cacheKey({ namespace: options.records, name: homeName(metadata.name ?? '') }),
    );
    const isAtHome = !record || namespaceOfHome(record) === metadata.namespace;
    return isAtHome && (metadata.namespace === namespace || (options.crossNamespaceHosts ?? false));
  };
  const attached = cache(sources.hosts)
    .byIndex('machine', machineLabel(namespace, name))
    .filter((host) => belongsTo(host, machine) && isCandidate(host))
    .toSorted(byProgress);
  const { config, template } = await installerOf(client, configs, machine);
  return {
    machine,
    owner,
    cluster,
    byoCluster,
    attached: attached[0],
    surplus: attached.slice(1),
    hosts: () =>
      [
        ...claims.free(cache(sources.hosts).list(options.crossNamespaceHosts ? undefined : namespace), context.key),
      ].filter(isCandidate),
    cannotServe: (host) => options.cannotServe?.(machine, host, plainVersion(owner)),
    config,
    template,
    waitsForCleanup: options.waitForHostCleanup ?? false,
    now: clock.now(),
  };
}

/** The host that is furthest on its way to a node comes first. */
function byProgress(a: ByoHost, b: ByoHost): number {
  const progress = ({ spec, status }: ByoHost) =>
    [isTrue(status?.conditions, bootstrapCondition), spec?.installationSecret, status?.machineRef].filter(Boolean)
      .length;
  return progress(b) - progress(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

async function installerOf(
  client: Client,
  configs: InstallerConfigs,
  machine: ByoMachine,
): Promise<Pick<MachineSnapshot, 'config' | 'template'>> {
  const { apiVersion, kind, name, namespace } = machine.spec?.installerRef ?? {};
  const none = { config: undefined, template: undefined };
  if (!machine.spec?.installerRef || machine.metadata.deletionTimestamp !== undefined) return none;
  const made = kindOfTemplate(kind ?? '');
  if (!apiVersion || !parseApiVersion(apiVersion) || !made || !name)
    throw new Error(
      `spec.installerRef has to name the apiVersion, kind and name of a template; its kind has to end with Template`,
    );
  const own = machine.metadata.namespace ?? '';
  const config = await configs.find(client, { apiVersion, kind: made }, own, machine.metadata.name ?? '');
  // One of an earlier machine of this name is about to be collected, and so is its Secret: it is as good as none.
  if (config) return { config: hasOwner(config, machine) ? config : { ...config, status: {} }, template: undefined };
  const template = await findObject<DynamicObject>(client, { apiVersion, kind: kind ?? '' }, namespace || own, name);
  return { config: undefined, template };
}

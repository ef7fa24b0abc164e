import { type Client, kinds } from '@tektite/client';
import {
  cached,
  cacheKey,
  type ControllerDefinition,
  defineController,
  type EventText,
  mapped,
  type ReconcileContext,
  releaseObject,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import {
  controllerReference,
  type DynamicObject,
  hasOwner,
  isStatusError,
  type KubeObject,
  parseApiVersion,
} from '@tektite/meta';
import { findObject } from '../find-object.ts';
import { grant, secretAccess } from '../host/host-access.ts';
import { homeName, namespaceOfHome } from '../host/host-home.ts';
import { ByoCluster } from '../kinds/byo-cluster.ts';
import { ByoHost } from '../kinds/byo-host.ts';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { Cluster, Machine } from '../kinds/cluster-api.ts';
import { clusterNameOf, ownerOf } from '../lookups.ts';
import { patchObject } from '../patch-object.ts';
import {
  clusterApiGroup,
  clusterNameLabel,
  group,
  machineFinalizer,
  machineNameLabel,
  versionAnnotation,
} from '../wire-names.ts';
import { plainVersion } from '../host/change-host.ts';
import { cloneTemplate, kindOfTemplate } from './clone-template.ts';
import { decideMachine, type MachineDecision, type MachineSnapshot, markReady } from './decide-machine.ts';
import { HostClaims } from './host-claims.ts';
import { InstallerConfigs } from './installer-configs.ts';
import { belongsTo, machineLabel } from '../host/machine-label.ts';
import {
  newProviderId,
  NodeError,
  openWorkload as openAnyWorkload,
  type OpenWorkload,
  stampNode,
} from './workload-node.ts';

export interface MachineControllerOptions {
  /** The namespace of the records of homes. */
  readonly records: string;
  /** Hosts of other namespaces may be taken too, as upstream does. Default no. */
  readonly crossNamespaceHosts?: boolean;
  /** A machine goes only after its host was cleaned. Default no, as upstream. */
  readonly waitForHostCleanup?: boolean;
  readonly openWorkload?: OpenWorkload;
  /** Why a known installer cannot serve a host: such a host is not claimed. */
  readonly cannotServe?: (machine: ByoMachine, host: ByoHost, k8sVersion: string) => string | undefined;
  /** Records Events of machines and hosts. */
  readonly record?: (about: KubeObject, event: EventText) => void;
}

/** How often objects are read that no watch reports: templates, and what is in workload clusters. */
const retryMs = 2000;

/** The controller of ByoMachines: observes, has {@link decideMachine} decide, and does it. */
export function machineController(options: MachineControllerOptions): ControllerDefinition {
  const configs = new InstallerConfigs();
  const claims = new HostClaims();
  const hosts = mapped(ByoHost, (host) => claims.concernedBy(host), {
    indexes: { machine: ({ metadata }) => [metadata.labels?.[machineNameLabel] ?? ''] },
  });
  const homes = cached(kinds.ConfigMap, { namespace: options.records });
  const owners = mapped(Machine, ({ metadata, spec }) => {
    const { kind, name = '' } = spec?.infrastructureRef ?? {};
    return kind === 'ByoMachine' ? [cacheKey({ namespace: metadata.namespace ?? '', name })] : [];
  });
  const clusters = mapped(Cluster, ({ metadata }, target) => ofNamespace(metadata.namespace, target.keys()));
  const byoClusters = mapped(ByoCluster, ({ metadata }, target) => ofNamespace(metadata.namespace, target.keys()));

  async function observe(machine: ByoMachine, context: ReconcileContext): Promise<MachineSnapshot | string> {
    const { client, cache, namespace = '', name, clock } = context;
    const reference = ownerOf(machine, clusterApiGroup, 'Machine');
    if (!reference) return 'no Machine owns it';
    const owner = cache(owners).get(cacheKey({ namespace, name: reference.name }));
    if (!owner) return `Machine ${reference.name} cannot be found`;
    const clusterName = clusterNameOf(machine);
    if (!clusterName) return `it has no label ${clusterNameLabel}`;
    const cluster = cache(clusters).get(cacheKey({ namespace, name: clusterName }));
    if (!cluster) return `Cluster ${clusterName} cannot be found`;
    const byoCluster = cache(byoClusters).get(
      cacheKey({ namespace, name: cluster.spec?.infrastructureRef?.name ?? '' }),
    );
    // A host that entered a namespace which is not its home is none for machines.
    const isCandidate = ({ metadata }: ByoHost) => {
      const record = cache(homes).get(cacheKey({ namespace: options.records, name: homeName(metadata.name ?? '') }));
      const isAtHome = !record || namespaceOfHome(record) === metadata.namespace;
      return isAtHome && (metadata.namespace === namespace || (options.crossNamespaceHosts ?? false));
    };
    const attached = cache(hosts)
      .byIndex('machine', machineLabel(namespace, name))
      .filter((host) => belongsTo(host, machine) && isCandidate(host));
    if (attached.length > 1) context.log.warn('several hosts say that they are this machine’s', { name });
    const { config, template } = await installerOf(client, configs, machine);
    return {
      machine,
      owner,
      cluster,
      byoCluster,
      attached: attached[0],
      hosts: () =>
        [...claims.free(cache(hosts).list(options.crossNamespaceHosts ? undefined : namespace), context.key)].filter(
          isCandidate,
        ),
      cannotServe: (host) => options.cannotServe?.(machine, host, plainVersion(owner)),
      config,
      template,
      waitsForCleanup: options.waitForHostCleanup ?? false,
      now: clock.now(),
    };
  }

  async function act(
    snapshot: MachineSnapshot,
    decision: MachineDecision,
    context: ReconcileContext,
  ): Promise<Result | undefined> {
    const { client, signal, log } = context;
    const record = options.record ?? ((about, event) => about.kind === 'ByoMachine' && context.event(event));
    // Held before anything is made that has to be given back.
    let machine = await holdMachine(client, snapshot.machine, decision.machine);
    if (decision.createConfig && snapshot.template) await createConfig(client, snapshot, snapshot.template);
    const { host } = decision;
    if (host) await writeHost(client, snapshot.machine, decision.claims ?? snapshot.attached, host, context);
    for (const { about, ...event } of decision.events) record(about === 'host' && host ? host : machine, event);
    const { next } = decision;
    let wanted = { ...decision.machine, metadata: machine.metadata };
    if (next.type === 'release') {
      await releaseObject(client, machine, machineFinalizer, signal);
      return undefined;
    }
    machine = await patchObject(client, ByoMachine, machine, wanted, signal);
    if (next.type === 'again') return requeueAfter(next.afterMs);
    if (next.type === 'fail') {
      log.debug('waits', { why: next.error });
      return requeueAfter(retryMs);
    }
    if (next.type !== 'node' || !host) return undefined;
    try {
      const { providerID, addresses } = await visitNode(machine, host, snapshot.cluster, context);
      wanted = markReady(machine, providerID, addresses, context.clock.now());
    } catch (error) {
      const isMissing = error instanceof NodeError;
      const message = isMissing ? error.message : `the workload cluster cannot be asked: ${(error as Error).message}`;
      record(machine, { type: 'Warning', reason: 'SetNodeProviderFailed', message });
      if (!isMissing) throw error;
      // The event and `byoh explain` say so. A machine that waits for its node is no failure of this process.
      log.debug('waits', { why: message });
      return requeueAfter(retryMs);
    }
    if ((await patchObject(client, ByoMachine, machine, wanted, signal)) !== machine) {
      record(machine, { reason: 'NodeProvisionedSucceeded', message: `Provisioned Node ${host.metadata.name}` });
      log.info('is a node', { host: host.metadata.name });
    }
    return undefined;
  }

  async function visitNode(
    machine: ByoMachine,
    host: ByoHost,
    cluster: Cluster,
    { client, namespace = '', random }: ReconcileContext,
  ) {
    const name = `${cluster.metadata.name}-kubeconfig`;
    const secret = await findObject(client, kinds.Secret, namespace, name);
    const kubeconfig = secret?.data?.['value'];
    if (!kubeconfig) throw new NodeError(`the Secret ${name} with the kubeconfig of the cluster does not exist`);
    const open = options.openWorkload ?? openAnyWorkload;
    await using workload = await open(Buffer.from(kubeconfig, 'base64').toString('utf8'));
    const hostName = host.metadata.name ?? '';
    return await stampNode(workload, hostName, machine.spec?.providerID ?? newProviderId(hostName, random));
  }

  return defineController({
    name: 'byomachine',
    kind: ByoMachine,
    sources: [hosts, homes, owners, clusters, byoClusters, configs],
    async reconcile(machine, context) {
      const snapshot = await observe(machine, context);
      if (typeof snapshot === 'string') return context.log.debug('waits', { why: snapshot });
      const decision = decideMachine(snapshot);
      claims.waits(context.key, decision.host === undefined && decision.next.type === 'again');
      if (decision.claims) claims.take(decision.claims, context.key);
      try {
        return await act(snapshot, decision, context);
      } catch (error) {
        claims.drop(context.key);
        throw error;
      }
    },
    gone(key) {
      claims.waits(key, false);
      claims.drop(key);
    },
  });
}

function ofNamespace(namespace: string | undefined, keys: Iterable<string>): readonly string[] {
  return [...keys].filter((key) => key.startsWith(`${namespace}/`));
}

/** The finalizer alone, ahead of everything else. */
async function holdMachine(client: Client, before: ByoMachine, after: ByoMachine): Promise<ByoMachine> {
  if (before.metadata.finalizers?.includes(machineFinalizer) || !after.metadata.finalizers?.includes(machineFinalizer))
    return before;
  return patchObject(client, ByoMachine, before, { ...before, metadata: after.metadata });
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

async function createConfig(
  client: Client,
  { machine, owner }: MachineSnapshot,
  template: DynamicObject,
): Promise<void> {
  const config = cloneTemplate(template, {
    name: machine.metadata.name ?? '',
    namespace: machine.metadata.namespace ?? '',
    clusterName: clusterNameOf(machine) ?? '',
    annotations: { [versionAnnotation]: plainVersion(owner) },
    owner: controllerReference({ ...machine, apiVersion: `${group}/v1beta1`, kind: 'ByoMachine' }),
  });
  try {
    await client.create(config);
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}

/**
 * A claim first, bound to the state in which the host was free; then the right to read its machine's Secrets; and only then
 * the word to the agent that begins.
 */
async function writeHost(
  client: Client,
  machine: ByoMachine,
  before: ByoHost | undefined,
  wanted: ByoHost,
  { signal }: ReconcileContext,
): Promise<void> {
  if (!before || before === wanted) return;
  const claimed = await patchObject(client, ByoHost, before, { ...wanted, status: before.status ?? {} }, signal);
  if (machine.metadata.deletionTimestamp === undefined) {
    const { bootstrapSecret, installationSecret } = wanted.spec ?? {};
    const names = [bootstrapSecret, installationSecret].flatMap((reference) => reference?.name ?? []);
    await grant(client, secretAccess(wanted, machine, names), signal);
  }
  await patchObject(client, ByoHost, claimed, { ...claimed, status: wanted.status ?? {} }, signal);
}

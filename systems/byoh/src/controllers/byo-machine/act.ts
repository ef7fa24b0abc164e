import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import { type ReconcileContext, releaseObject, requeueAfter, type Result } from '@tektite/controller';
import { controllerReference, type DynamicObject, isStatusError } from '@tektite/meta';
import { findObject } from '../../find-object.ts';
import { plainVersion } from '../../host/change-host.ts';
import { grant, secretAccess } from '../../host/host-access.ts';
import type { InstallerConfig } from '../../installer/decide-installer.ts';
import { ByoHost } from '../../kinds/byo-host.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import type { Cluster } from '../../kinds/cluster-api.ts';
import { clusterNameOf } from '../../lookups.ts';
import { cloneTemplate } from '../../machine/clone-template.ts';
import { patchObject } from '../../patch-object.ts';
import { group, machineFinalizer, versionAnnotation } from '../../wire-names.ts';
import { type MachineDecision, type MachineSnapshot, markReady } from './decide.ts';
import type { MachineControllerOptions } from './machine-options.ts';
import {
  deleteNode,
  deleteNodeOfHost,
  newProviderId,
  NodeError,
  openWorkload as openAnyWorkload,
  stampNode,
} from './workload-node.ts';

/** The requeue delay for objects that no watch reports: templates, and objects of workload clusters. */
const retryMs = 2000;

/** Performs a decision. A claim of a host comes first, and the finalizer before anything that has to be given back. */
export async function act(
  snapshot: MachineSnapshot,
  decision: MachineDecision,
  context: ReconcileContext,
  options: MachineControllerOptions,
): Promise<Result | undefined> {
  const { client, signal, log } = context;
  const record = options.record ?? ((about, event) => about.kind === 'ByoMachine' && context.event(event));
  // Held before anything is made that has to be given back.
  let machine = await holdMachine(client, snapshot.machine, decision.machine);
  if (decision.createConfig && snapshot.template) await createConfig(client, snapshot, snapshot.template);
  if (decision.deletesConfig && snapshot.config) await deleteConfig(client, snapshot.config);
  const { host, next } = decision;
  // Before the host is given back: another machine may take it at once, and its node has the same name.
  if (isLeaving(snapshot, decision)) {
    const unreached = await leaveCluster(snapshot, context, options);
    if (unreached !== undefined) {
      record(machine, { type: 'Warning', reason: 'DeleteNodeFailed', message: unreached });
      return requeueAfter(retryMs);
    }
  }
  if (host) await writeHost(client, snapshot.machine, decision.claims ?? snapshot.attached, host, context);
  for (const { before, after } of decision.releases ?? []) await patchObject(client, ByoHost, before, after, signal);
  for (const { about, ...event } of decision.events) record(about === 'host' && host ? host : machine, event);
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
    const { providerID, addresses } = await visitNode(machine, host, snapshot.cluster, context, options);
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
  context: ReconcileContext,
  options: MachineControllerOptions,
) {
  await using workload = await workloadOf(cluster, context, options);
  if (!workload)
    throw new NodeError(`the Secret ${kubeconfigName(cluster)} with the kubeconfig of the cluster does not exist`);
  const hostName = host.metadata.name ?? '';
  return await stampNode(workload, hostName, machine.spec?.providerID ?? newProviderId(hostName, context.random));
}

/** Whether the machine is deleted and gives its host back. A paused one keeps it. */
function isLeaving({ machine }: MachineSnapshot, { next }: MachineDecision): boolean {
  if (machine.metadata.deletionTimestamp === undefined) return false;
  return next.type === 'release' || next.type === 'again';
}

/** An unreachable cluster must not keep a machine for ever. */
const maxLeaveMs = 10 * 60_000;

/**
 * Deletes the node of a machine that is deleted, as Cluster API does before it deletes the machine. Returns the error while it is worth
 * another attempt. A cluster that is deleted as a whole, or has no kubeconfig, has no node to delete. A machine that was deleted before
 * it had a provider ID may have a node all the same: that of its host.
 */
async function leaveCluster(
  { machine, cluster, attached, now }: MachineSnapshot,
  context: ReconcileContext,
  options: MachineControllerOptions,
): Promise<string | undefined> {
  const { providerID = '' } = machine.spec ?? {};
  const host = attached?.metadata.name;
  if ((providerID === '' && !host) || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  try {
    await using workload = await workloadOf(cluster, context, options);
    if (workload && providerID !== '') await deleteNode(workload, providerID);
    else if (workload && host) await deleteNodeOfHost(workload, host);
    return undefined;
  } catch (error) {
    context.signal.throwIfAborted();
    const message = `the node cannot be deleted in the workload cluster: ${(error as Error).message}`;
    const since = Date.parse(machine.metadata.deletionTimestamp ?? '');
    if (!(now > since + maxLeaveMs)) return message;
    context.log.warn('released without its node', { why: message });
    return undefined;
  }
}

const kubeconfigName = ({ metadata }: Cluster) => `${metadata.name}-kubeconfig`;

/** A client of the cluster that a machine is part of; nothing where there is no kubeconfig. */
async function workloadOf(
  cluster: Cluster,
  { client, namespace = '' }: ReconcileContext,
  { openWorkload = openAnyWorkload }: MachineControllerOptions,
): Promise<Client | undefined> {
  const secret = await findObject(client, kinds.Secret, namespace, kubeconfigName(cluster));
  const kubeconfig = secret?.data?.['value'];
  return kubeconfig ? openWorkload(Buffer.from(kubeconfig, 'base64').toString('utf8')) : undefined;
}

/** The finalizer alone, ahead of everything else. */
async function holdMachine(client: Client, before: ByoMachine, after: ByoMachine): Promise<ByoMachine> {
  if (before.metadata.finalizers?.includes(machineFinalizer) || !after.metadata.finalizers?.includes(machineFinalizer))
    return before;
  return patchObject(client, ByoMachine, before, { ...before, metadata: after.metadata });
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

async function deleteConfig(client: Client, { apiVersion, kind, metadata }: InstallerConfig): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name = '', namespace = '', uid = '' } = metadata;
  await client.delete({ apiVersion, kind }, { name, namespace }, { preconditions: { uid } }).catch(ignoreNotFound);
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

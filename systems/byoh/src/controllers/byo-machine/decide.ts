import type { DynamicObject } from '@tektite/meta';
import type { InstallerConfig } from '../../installer/decide-installer.ts';
import type { ByoCluster } from '../../kinds/byo-cluster.ts';
import type { ByoHost } from '../../kinds/byo-host.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { type Cluster, isInfrastructureReady, type Machine } from '../../kinds/cluster-api.ts';
import { type ConditionText, conditionOf, isTrue, withCondition } from '../../kinds/cluster-condition.ts';
import { bootstrapCondition, failureOf, hostReadyCondition, installerGate } from '../../kinds/host-conditions.ts';
import { isPaused } from '../../lookups.ts';
import { machineFinalizer } from '../../wire-names.ts';
import { attachHost, pauseHost, plainVersion, releaseHost, resumeHost } from '../../host/change-host.ts';
import { type CannotServe, chooseHost, describeRejections } from '../../machine/choose-host.ts';
import { isOutdated, withoutScripts } from './outdated-config.ts';

/** The observed objects of one machine. */
export interface MachineSnapshot {
  readonly machine: ByoMachine;
  readonly owner: Machine;
  readonly cluster: Cluster;
  readonly byoCluster: ByoCluster | undefined;
  /** The host that says it belongs to this machine. */
  readonly attached: ByoHost | undefined;
  /** Further hosts that say so. The answer to a claim was lost, and the next attempt claimed another host. */
  readonly surplus?: readonly ByoHost[];
  /** All hosts that might be chosen; only asked for when one is needed. */
  readonly hosts: () => Iterable<ByoHost>;
  readonly cannotServe?: CannotServe;
  /** The installer's config for this machine. */
  readonly config: InstallerConfig | undefined;
  /** The template it is made from; only asked for when there is no config. */
  readonly template: DynamicObject | undefined;
  /** Whether a machine goes only after its host was cleaned. */
  readonly waitsForCleanup: boolean;
  readonly now: number;
}

export interface MachineEvent {
  readonly about: 'machine' | 'host';
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The next step of a machine, and its requeue. */
export interface MachineDecision {
  readonly machine: ByoMachine;
  /** The host as it is to be. */
  readonly host?: ByoHost;
  /** The host as it was when it was found to be free. */
  readonly claims?: ByoHost;
  /** Hosts that the machine holds and does not need, as they are and as they are to be. */
  readonly releases?: readonly { readonly before: ByoHost; readonly after: ByoHost }[];
  /** A config is to be made from the template. */
  readonly createConfig: boolean;
  /** The config is for a former version: it is deleted, and made again. */
  readonly deletesConfig?: boolean;
  readonly events: readonly MachineEvent[];
  readonly next:
    | { readonly type: 'done' }
    | { readonly type: 'again'; readonly afterMs: number }
    | { readonly type: 'fail'; readonly error: string }
    /** The host is a node: read it from the workload cluster. */
    | { readonly type: 'node' }
    | { readonly type: 'release' };
}

const pollMs = 10_000;
/** The requeue delay while a config is being deleted. */
const renewMs = 500;
const finished = { type: 'done' } as const;
const later = { type: 'again', afterMs: pollMs } as const;

/** Decides on one machine: pause, deletion, and the steps from a claim to a node. Pure. */
export function decideMachine(snapshot: MachineSnapshot): MachineDecision {
  const { machine, cluster, attached } = snapshot;
  if (isPaused(cluster, machine)) {
    const paused = mark(snapshot, machine, info('ClusterOrResourcePaused', 'the Cluster or this ByoMachine is paused'));
    return { machine: paused, ...(attached ? { host: pauseHost(attached) } : {}), ...nothing, next: finished };
  }
  const decision = machine.metadata.deletionTimestamp === undefined ? decideNormal(snapshot) : decideDeletion(snapshot);
  const releases = (snapshot.surplus ?? []).map((before) => ({ before, after: releaseHost(before) }));
  return releases.length === 0 ? decision : { ...decision, releases };
}

const nothing = { createConfig: false, events: [] } as const;

/** The maximal wait for a host: an unreachable agent must not block a machine for ever. */
const maxWaitMs = 10 * 60_000;

function decideDeletion({ machine, attached, waitsForCleanup, now }: MachineSnapshot): MachineDecision {
  if (!attached) return { machine, ...nothing, next: { type: 'release' } };
  const host = releaseHost(attached);
  const events = host === attached ? [] : releaseEvents(machine, attached);
  const since = Date.parse(machine.metadata.deletionTimestamp ?? '');
  const next = waitsForCleanup && !(now > since + maxWaitMs) ? later : ({ type: 'release' } as const);
  return { machine, host, createConfig: false, events, next };
}

function decideNormal(snapshot: MachineSnapshot): MachineDecision {
  const { owner, cluster, attached, config, template } = snapshot;
  const machine = withFinalizer(snapshot.machine);
  const host = attached && resumeHost(attached, machine);
  const wantsInstaller = machine.spec?.installerRef !== undefined;
  const createConfig = wantsInstaller && !config;
  const base = { machine, ...(host ? { host } : {}), createConfig, events: [] };
  if (createConfig && !template) {
    const { kind = '', name = '' } = machine.spec?.installerRef ?? {};
    const error = `${kind} ${name} cannot be found`;
    const failed = mark(snapshot, machine, { ...gate(error), severity: 'Error' });
    return { ...base, machine: failed, createConfig: false, next: { type: 'fail', error } };
  }
  if (config && isOutdated(config, owner, host)) {
    const version = plainVersion(owner);
    const renewed = mark(snapshot, machine, gate(`the installer makes scripts for the version ${version}`));
    const waiting = host ? { host: withoutScripts(host, owner) } : {};
    return { ...base, ...waiting, machine: renewed, deletesConfig: true, next: { type: 'again', afterMs: renewMs } };
  }
  const waits = (text: ConditionText): MachineDecision => ({
    ...base,
    machine: mark(snapshot, machine, text),
    next: finished,
  });
  if (!isInfrastructureReady(cluster))
    return waits(
      info('WaitingForClusterInfrastructure', `the infrastructure of Cluster ${cluster.metadata.name} is not ready`),
    );
  if (!owner.spec?.bootstrap?.dataSecretName)
    return waits(info('WaitingForBootstrapDataSecret', `Machine ${owner.metadata.name} has no bootstrap data yet`));
  if (host) return decideAttached(snapshot, base, host);
  const choice = chooseHost(machine, snapshot.hosts(), snapshot.cannotServe);
  if (choice.host) return claim(snapshot, base, choice.host);
  const text = info('BYOHostsUnavailable', describeRejections(choice.refused));
  // Recorded on a change, not in every reconcile.
  const isNews = conditionOf(snapshot.machine.status?.conditions, hostReadyCondition)?.message !== text.message;
  const events = isNews ? [event('machine', 'ByoHostSelectionFailed', 'No available ByoHost', 'Warning')] : [];
  return { ...base, machine: mark(snapshot, machine, text), events, next: later };
}

type Base = Pick<MachineDecision, 'machine' | 'createConfig'>;

function claim(snapshot: MachineSnapshot, base: Base, free: ByoHost): MachineDecision {
  const host = attachHost(free, { ...snapshot, machine: base.machine });
  const decision = decideAttached(snapshot, base, host);
  const { name } = base.machine.metadata;
  const attached = [
    event('host', 'ByoHostAttachSucceeded', `Attached to ByoMachine ${name}`),
    event('machine', 'ByoHostAttachSucceeded', `Attached ByoHost ${free.metadata.name}`),
  ];
  return { ...decision, claims: free, events: [...attached, ...decision.events] };
}

/** From a host to a node. The gate for installers is derived each time, so that nothing can make it stay closed. */
function decideAttached(snapshot: MachineSnapshot, base: Base, host: ByoHost): MachineDecision {
  const { config } = snapshot;
  const machine = withHostInfo(base.machine, host);
  const result = { ...base, machine, host, events: [] };
  if (!machine.spec?.installerRef || host.spec?.installationSecret) return decideBootstrap(snapshot, result, host);
  const { ready, installationSecret, failureReason, failureMessage = '' } = config?.status ?? {};
  if (!ready) {
    const failed = failureReason !== undefined && failureReason !== '';
    const text: ConditionText = failed
      ? { ...gate(`${failureReason}: ${failureMessage}`), severity: 'Error' }
      : gate('the installer has no scripts yet');
    const failure = failed ? { failureReason, failureMessage } : {};
    const isNews = failed && snapshot.machine.status?.failureMessage !== failureMessage;
    const events = isNews
      ? [event('machine', 'InstallerConfigFailed', `${failureReason}: ${failureMessage}`, 'Warning')]
      : [];
    return { ...result, machine: withFailure(mark(snapshot, machine, text), failure), events, next: later };
  }
  if (!installationSecret?.name) {
    const error = `${config?.kind} ${config?.metadata.name} is ready but names no installationSecret`;
    return { ...result, machine: mark(snapshot, machine, gate(error)), next: { type: 'fail', error } };
  }
  const withSecret = { ...host, spec: { ...host.spec, installationSecret } };
  return decideBootstrap(snapshot, { ...result, machine: withFailure(machine, {}), host: withSecret }, withSecret);
}

function decideBootstrap(
  snapshot: MachineSnapshot,
  result: Omit<MachineDecision, 'next'>,
  host: ByoHost,
): MachineDecision {
  const { machine } = result;
  const { name } = host.metadata;
  if (isTrue(host.status?.conditions, bootstrapCondition)) {
    if (isTrue(machine.status?.conditions, hostReadyCondition) && machine.status?.ready && machine.spec?.providerID)
      return { ...result, next: finished };
    return { ...result, next: { type: 'node' } };
  }
  const failure = failureOf(host);
  const text: ConditionText = failure
    ? { ...gate(`ByoHost ${name}: ${failure.message}`), reason: failure.reason, severity: 'Error' }
    : gate(`ByoHost ${name} is becoming a node`);
  return { ...result, machine: mark(snapshot, machine, text), next: finished };
}

function gate(message: string): ConditionText & { readonly status: 'False' } {
  return info(installerGate, message);
}

function info(reason: string, message: string): ConditionText & { readonly status: 'False' } {
  return { type: hostReadyCondition, status: 'False', reason, severity: 'Info', message };
}

function event(
  about: 'machine' | 'host',
  reason: string,
  message: string,
  type: MachineEvent['type'] = 'Normal',
): MachineEvent {
  return { about, type, reason, message };
}

function releaseEvents(machine: ByoMachine, host: ByoHost): readonly MachineEvent[] {
  return [
    event('host', 'ByoHostReleaseSucceeded', `ByoHost Released by ${machine.metadata.name}`),
    event('machine', 'ByoHostReleaseSucceeded', `Released ByoHost ${host.metadata.name}`),
  ];
}

function mark({ now }: MachineSnapshot, machine: ByoMachine, text: ConditionText): ByoMachine {
  const conditions = withCondition(machine.status?.conditions, text, now);
  return { ...machine, status: { ...machine.status, ready: machine.status?.ready ?? false, conditions } };
}

function withFinalizer(machine: ByoMachine): ByoMachine {
  const { finalizers = [] } = machine.metadata;
  if (finalizers.includes(machineFinalizer)) return machine;
  return { ...machine, metadata: { ...machine.metadata, finalizers: [...finalizers, machineFinalizer] } };
}

function withHostInfo(machine: ByoMachine, host: ByoHost): ByoMachine {
  const { osname, osimage, architecture } = machine.status?.hostinfo ?? {};
  const { hostinfo } = host.status ?? {};
  if (osname || osimage || architecture || !hostinfo) return machine;
  return { ...machine, status: { ...machine.status, hostinfo } };
}

function withFailure(
  machine: ByoMachine,
  failure: Pick<NonNullable<ByoMachine['status']>, 'failureReason' | 'failureMessage'>,
): ByoMachine {
  const { failureReason: _, failureMessage: __, ...rest } = machine.status ?? {};
  return { ...machine, status: { ...rest, ...failure } };
}

/** The machine when its node is known and says so. */
export function markReady(
  machine: ByoMachine,
  providerID: string,
  addresses: NonNullable<ByoMachine['status']>['addresses'],
  now: number,
): ByoMachine {
  const conditions = withCondition(machine.status?.conditions, { type: hostReadyCondition, status: 'True' }, now);
  const { failureReason: _, failureMessage: __, ...rest } = machine.status ?? {};
  return {
    ...machine,
    spec: { ...machine.spec, providerID },
    status: { ...rest, ready: true, conditions, ...(addresses?.length ? { addresses } : {}) },
  };
}

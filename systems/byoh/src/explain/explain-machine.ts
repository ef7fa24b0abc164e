import type { InstallerConfig } from '../installer/decide-installer.ts';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { type Cluster, isInfrastructureReady, type Machine } from '../kinds/cluster-api.ts';
import { conditionOf, isTrue } from '../kinds/cluster-condition.ts';
import {
  bootstrapCondition,
  heartbeatCondition,
  hostReadyCondition,
  installationCondition,
} from '../kinds/host-conditions.ts';
import { isPaused } from '../lookups.ts';
import { chooseHost, describeRejections } from '../machine/choose-host.ts';
import { cleanupAnnotation } from '../wire-names.ts';

export interface ExplainedStep {
  readonly state: 'done' | 'waiting' | 'failed' | 'ahead';
  readonly what: string;
  /** Why it waits, or what is wrong, or what came of it. */
  readonly why: string;
}

export interface ExplainSnapshot {
  readonly machine: ByoMachine;
  readonly owner: Machine | undefined;
  readonly cluster: Cluster | undefined;
  readonly config: InstallerConfig | undefined;
  readonly attached: ByoHost | undefined;
  readonly hosts: readonly ByoHost[];
}

/** Where a machine is on its way to a node, and what it waits for. After the first step that is not done, all are ahead. */
export function explainMachine(snapshot: ExplainSnapshot): readonly ExplainedStep[] {
  const steps: ExplainedStep[] = [];
  for (const step of [
    owner,
    pause,
    infrastructure,
    bootstrapData,
    host,
    alive,
    installer,
    installation,
    bootstrap,
    node,
  ]) {
    const isAhead = steps.some(({ state }) => state === 'waiting' || state === 'failed');
    const explained = step(snapshot);
    if (explained) steps.push(isAhead ? { ...explained, state: 'ahead', why: '' } : explained);
  }
  return steps;
}

const done = (what: string, why = ''): ExplainedStep => ({ state: 'done', what, why });
const waiting = (what: string, why: string): ExplainedStep => ({ state: 'waiting', what, why });
const failed = (what: string, why: string): ExplainedStep => ({ state: 'failed', what, why });

function owner({ owner: machine, cluster }: ExplainSnapshot): ExplainedStep {
  const what = 'Cluster API owns it';
  if (!machine) return waiting(what, 'no Machine owns it yet; Cluster API sets the owner');
  if (!cluster) return failed(what, 'its Cluster cannot be found: check the label cluster.x-k8s.io/cluster-name');
  return done(what, `Machine ${machine.metadata.name} of Cluster ${cluster.metadata.name}`);
}

function pause({ machine, cluster }: ExplainSnapshot): ExplainedStep | undefined {
  if (!cluster || !isPaused(cluster, machine)) return undefined;
  return waiting(
    'it is not paused',
    cluster.spec?.paused ? 'spec.paused of its Cluster is true' : 'it has the annotation cluster.x-k8s.io/paused',
  );
}

function infrastructure({ cluster }: ExplainSnapshot): ExplainedStep {
  const what = 'the infrastructure of the cluster is ready';
  if (cluster && isInfrastructureReady(cluster)) return done(what);
  return waiting(
    what,
    'status.infrastructureReady of the Cluster is not true; Cluster API sets it once its ByoCluster is ready',
  );
}

function bootstrapData({ owner: machine }: ExplainSnapshot): ExplainedStep {
  const name = machine?.spec?.bootstrap?.dataSecretName;
  const what = 'there is bootstrap data';
  return name
    ? done(what, `Secret ${name}`)
    : waiting(what, 'spec.bootstrap.dataSecretName of the Machine is not set; the bootstrap provider makes it');
}

function host({ machine, attached, hosts }: ExplainSnapshot): ExplainedStep {
  const what = 'it has a host';
  if (attached) return done(what, `ByoHost ${attached.metadata.namespace}/${attached.metadata.name}`);
  // The manager knows more: what the installer has against a host, too.
  const { reason, message = '' } = conditionOf(machine.status?.conditions, hostReadyCondition) ?? {};
  if (reason === 'BYOHostsUnavailable' && message !== '') return waiting(what, message);
  const choice = chooseHost(machine, hosts);
  if (choice.host)
    return waiting(
      what,
      `ByoHost ${choice.host.metadata.name} is free and is about to be taken; is the manager running?`,
    );
  return waiting(what, describeRejections(choice.refused));
}

function alive({ attached }: ExplainSnapshot): ExplainedStep | undefined {
  if (!attached) return undefined;
  if (Object.hasOwn(attached.metadata.annotations ?? {}, cleanupAnnotation))
    return waiting('the host is not being cleaned up', 'its agent cleans it up');
  const { status, message = '' } = conditionOf(attached.status?.conditions, heartbeatCondition) ?? {};
  return status === 'False' ? failed('the agent of the host is alive', message) : undefined;
}

function installer({ machine, config, attached }: ExplainSnapshot): ExplainedStep | undefined {
  const reference = machine.spec?.installerRef;
  if (!reference) return undefined;
  const what = 'the installer has scripts for the host';
  if (attached?.spec?.installationSecret) return done(what, `Secret ${attached.spec.installationSecret.name}`);
  if (!config)
    return waiting(what, `there is no config of ${reference.kind} ${reference.name} yet: does that template exist?`);
  const { failureReason, failureMessage, ready } = config.status ?? {};
  if (failureReason) return failed(what, `${failureReason}: ${failureMessage ?? ''}`);
  return waiting(
    what,
    ready
      ? 'the scripts are ready; the host is about to get them'
      : `${config.kind} ${config.metadata.name} is not ready: is its controller running?`,
  );
}

function installation({ machine, attached }: ExplainSnapshot): ExplainedStep | undefined {
  return machine.spec?.installerRef
    ? onHost(attached, installationCondition, 'Kubernetes is installed on the host')
    : undefined;
}

function bootstrap({ attached }: ExplainSnapshot): ExplainedStep {
  return onHost(attached, bootstrapCondition, 'the host is a node');
}

function onHost(attached: ByoHost | undefined, type: string, what: string): ExplainedStep {
  const conditions = attached?.status?.conditions;
  if (isTrue(conditions, type)) return done(what);
  const { severity, reason = '', message = '' } = conditionOf(conditions, type) ?? {};
  const text = [reason, message].filter((part) => part !== '').join(': ');
  return severity === 'Error'
    ? failed(what, text)
    : waiting(what, text || 'its agent has not said anything about it yet');
}

function node({ machine }: ExplainSnapshot): ExplainedStep {
  const what = 'the node has its provider ID';
  if (isTrue(machine.status?.conditions, hostReadyCondition)) return done(what, machine.spec?.providerID ?? '');
  return waiting(
    what,
    'the Node of the host cannot be found in the workload cluster yet, or that cluster cannot be reached',
  );
}

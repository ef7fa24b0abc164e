import { type Client, kinds, mergePatch } from '@tektite/client';
import {
  controllerReference,
  type DynamicObject,
  formatTime,
  isStatusError,
  type KubeObject,
  sleep,
} from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import type { InstallerConfig } from '../installer/decide-installer.ts';
import { findObject } from '../find-object.ts';
import type { HostInfo } from '../kinds/byo-host.ts';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { Cluster } from '../kinds/cluster-api.ts';
import type { ConditionText } from '../kinds/cluster-condition.ts';
import { hostReadyCondition, installerGate } from '../kinds/host-conditions.ts';
import { clusterNameLabel, versionAnnotation } from '../wire-names.ts';

export interface ConformanceOptions {
  readonly client: Client;
  /** The installer's template that configs are made from, as it is in the cluster. */
  readonly template: DynamicObject;
  /** The kind of its configs. */
  readonly configKind: { readonly apiVersion: string; readonly kind: string };
  /** Where the objects of the checks are made. */
  readonly namespace: string;
  /** A host that the installer supports. */
  readonly host: HostInfo;
  readonly k8sVersion: string;
  /** How long an installer may take to do something. */
  readonly patienceMs?: number;
  /** How long to watch for actions that must not happen. */
  readonly settleMs?: number;
}

/** The subject of a check: a machine, and the config that the manager would create for it. */
export interface Subject {
  readonly name: string;
  readonly machine: ByoMachine;
}

export const gateOpen: ConditionText = {
  type: hostReadyCondition,
  status: 'False',
  reason: installerGate,
  severity: 'Info',
};

/** The tools of the checks: acts as the manager for a running installer. */
export class ConformanceBench {
  readonly options: ConformanceOptions;
  private counter = 0;

  constructor(options: ConformanceOptions) {
    this.options = options;
  }

  private get client(): Client {
    return this.options.client;
  }

  /** A ByoMachine as installers find it. No Machine owns it, so a manager that runs here leaves it alone. */
  async subject(
    condition: ConditionText | undefined,
    hostinfo: HostInfo | undefined,
    cluster = 'conformance',
  ): Promise<Subject> {
    const { namespace } = this.options;
    const name = `check-${++this.counter}`;
    const labels = { [clusterNameLabel]: cluster };
    const machine = await this.client.create(ByoMachine, { metadata: { name, namespace, labels }, spec: {} });
    await this.setGate({ name, machine }, condition, hostinfo);
    return { name, machine };
  }

  /** Changes what the machine says. */
  async setGate(
    { name }: Pick<Subject, 'name' | 'machine'>,
    condition: ConditionText | undefined,
    hostinfo: HostInfo | undefined,
  ): Promise<void> {
    const lastTransitionTime = formatTime(this.client.clock.now());
    const conditions = condition ? [{ ...condition, lastTransitionTime }] : [];
    const status = { ready: false, conditions, hostinfo: hostinfo ?? null };
    await this.client.patchStatus(ByoMachine, this.key(name), mergePatch({ status }));
  }

  /** The config for a subject, made as the manager makes it. */
  async config(
    { name, machine }: Subject,
    more: {
      readonly isOrphan?: boolean;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly version?: string;
    } = {},
  ): Promise<InstallerConfig> {
    const { template, configKind, namespace } = this.options;
    const inner = (template['spec'] as { template?: object } | undefined)?.template ?? {};
    return this.client.create({
      ...inner,
      ...configKind,
      metadata: {
        name,
        namespace,
        labels: { [clusterNameLabel]: machine.metadata.labels?.[clusterNameLabel] ?? '' },
        annotations: { [versionAnnotation]: more.version ?? this.options.k8sVersion, ...more.annotations },
        ...(more.isOrphan ? {} : { ownerReferences: [controllerReference({ ...machine, kind: 'ByoMachine' })] }),
      },
    } as KubeObject) as Promise<InstallerConfig>;
  }

  async cluster(name: string, spec: NonNullable<Cluster['spec']> = {}): Promise<void> {
    try {
      await this.client.create(Cluster, { metadata: { name, namespace: this.options.namespace }, spec });
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }

  async read(name: string): Promise<InstallerConfig | undefined> {
    return (await findObject<DynamicObject>(this.client, this.options.configKind, this.options.namespace, name)) as
      | InstallerConfig
      | undefined;
  }

  /** All Secrets that could hold scripts for this config. */
  async secrets(config: InstallerConfig): Promise<readonly Secret[]> {
    const { items } = await this.client.list(kinds.Secret, { namespace: this.options.namespace });
    return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === config.metadata.uid));
  }

  /** The Secret that a config says its scripts are in. */
  async installationSecret(config: InstallerConfig): Promise<Secret | undefined> {
    const { name, namespace = this.options.namespace } = config.status?.installationSecret ?? {};
    return findObject(this.client, kinds.Secret, namespace, name);
  }

  async settle(): Promise<void> {
    await sleep(this.client.clock, this.options.settleMs ?? 1500);
  }

  /** Waits until the config is so; answers it, or undefined when it never was. */
  async until(name: string, isSo: (config: InstallerConfig) => boolean): Promise<InstallerConfig | undefined> {
    const until = this.client.clock.monotonic() + (this.options.patienceMs ?? 15_000);
    for (;;) {
      const config = await this.read(name);
      if (config && isSo(config)) return config;
      if (this.client.clock.monotonic() > until) return undefined;
      await sleep(this.client.clock, 50);
    }
  }

  async put(object: KubeObject): Promise<KubeObject> {
    return this.client.create(object);
  }

  async touch(name: string): Promise<void> {
    const annotations = { 'conformance.tektite.dev/touched': String(this.client.clock.now()) };
    await this.client.patch(this.options.configKind, this.key(name), mergePatch({ metadata: { annotations } }));
  }

  async patchConfigStatus(name: string, status: object): Promise<void> {
    await this.client.patchStatus(this.options.configKind, this.key(name), mergePatch({ status }));
  }

  async removeConfig(name: string): Promise<void> {
    await this.client.delete(this.options.configKind, this.key(name));
  }

  private key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.options.namespace, name };
  }
}

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey, createSigningRequest } from '@tektite/certificates';
import { type Client, kinds } from '@tektite/client';
import { type RunningSystems, startSystems, type System, type SystemsWebhooks } from '@tektite/controller';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Cluster as ApiPlace, ControlPlane } from '@tektite/testkit';
import { expect } from 'vitest';
import { type TracedScript, dryRunSandbox } from './agent/sandbox/dry-run-sandbox.ts';
import type { HostFacts } from './agent/sandbox/sandbox.ts';
import { type AgentOptions, type RunningAgent, startAgent } from './agent/start-agent.ts';
import { claimHome } from './host/host-home.ts';
import { BootstrapKubeconfig } from './kinds/bootstrap-kubeconfig.ts';
import { ByoCluster } from './kinds/byo-cluster.ts';
import { ByoHost } from './kinds/byo-host.ts';
import { ByoMachine } from './kinds/byo-machine.ts';
import { Cluster, Machine } from './kinds/cluster-api.ts';
import { conditionOf } from './kinds/cluster-condition.ts';
import { K8sInstallerConfigTemplate } from './kinds/k8s-installer-config.ts';
import { type ByohOptions, byohSystem } from './system.ts';
import { apiVersion, clientSigner, clusterNameLabel, hostGroup, secretType } from './wire-names.ts';

export const namespace = 'default';
export const ubuntu: HostFacts = {
  info: { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' },
  network: [],
  defaultInterface: 'eth0',
};
export const eventually = <T>(read: () => T, timeout = 20_000) => expect.poll(read, { timeout, interval: 20 });

export const emptyCloudConfig = '#cloud-config\nwrite_files: []\nruncmd:\n- "true"\n';

/** Deviations from the default machine. */
export interface MachineOptions {
  readonly version?: string;
  readonly selector?: object;
  readonly installer?: object | false;
  readonly cluster?: string;
  readonly bootstrap?: string;
  readonly bootstrapSecretName?: string;
}

/** A world with hosts, machines and what stands in for Cluster API, on any API server. */
export class TestWorld implements AsyncDisposable {
  readonly place: ApiPlace;
  readonly client: Client;
  private readonly ending: (() => Promise<unknown> | void)[] = [];

  constructor(place: ApiPlace) {
    this.place = place;
    this.client = place.client;
  }

  onEnd(action: () => Promise<unknown> | void): void {
    this.ending.push(action);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let end = this.ending.pop(); end; end = this.ending.pop()) await end();
  }

  /** Runs the manager with a separate service account. */
  async manager(options: ByohOptions = {}, more: readonly System[] = []): Promise<RunningSystems> {
    const user = { name: 'system:serviceaccount:byoh-system:byoh-controller-manager', groups: ['system:masters'] };
    const client = this.place.clientFor(user);
    const running = await startSystems([byohSystem(options), ...more], {
      client,
      name: 'byoh',
      graceMs: 1000,
      webhooks: await this.webhooks(),
    });
    this.onEnd(() => running.stop());
    return running;
  }

  /** In process where the server is in this process, over HTTPS otherwise. */
  private async webhooks(): Promise<SystemsWebhooks> {
    const service = { namespace: 'default', name: 'byoh-webhook' };
    const { server } = this.place as Partial<ControlPlane>;
    if (server) return { host: server.localWebhooks, service };
    const port = await freePort();
    return { service, port, url: `https://127.0.0.1:${port}` };
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'tektite-byoh-'));
    this.onEnd(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  agentClient(name: string): Client {
    return this.place.clientFor({ name: `byoh:host:${name}`, groups: [hostGroup, 'system:authenticated'] });
  }

  /** The BootstrapKubeconfig `hosts` of a namespace. */
  async bootstrapKubeconfig(where = namespace): Promise<void> {
    const authority = Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
    await this.client.create(BootstrapKubeconfig, {
      metadata: { name: 'hosts', namespace: where },
      spec: { apiserver: 'https://10.0.0.1:6443', 'certificate-authority-data': authority.toString('base64') },
    });
  }

  /** Asks for the certificate of a host with the token of a namespace. */
  async ask(host: string, where = namespace, csr = `byoh-csr-${host}`): Promise<void> {
    const subject = { commonName: `byoh:host:${host}`, organizations: [hostGroup] };
    const text = await createSigningRequest(await createKey(), subject);
    const client = this.place.clientFor(await this.bearer('hosts', where));
    await client.create(kinds.CertificateSigningRequest, {
      metadata: { name: csr },
      spec: { request: Buffer.from(text).toString('base64'), signerName: clientSigner, usages: ['client auth'] },
    });
  }

  /** The user that the token of a BootstrapKubeconfig stands for, as the API server reads its Secret. */
  async bearer(name: string, where = namespace): Promise<{ name: string; groups: string[] }> {
    const key = { namespace: where, name };
    const data = async () => (await this.client.get(BootstrapKubeconfig, key)).status?.bootstrapKubeconfigData ?? '';
    await eventually(data).not.toBe('');
    const [, id = ''] = /"token":"([a-z0-9]{6})\./.exec(await data()) ?? [];
    const secret = await this.client.get(kinds.Secret, { namespace: 'kube-system', name: `bootstrap-token-${id}` });
    const groups = Buffer.from(secret.data?.['auth-extra-groups'] ?? '', 'base64').toString('utf8');
    return {
      name: `system:bootstrap:${id}`,
      groups: ['system:bootstrappers', ...groups.split(','), 'system:authenticated'],
    };
  }

  /** Gives a host a namespace, as the approval of its certificate does. */
  async home(name: string, where = namespace): Promise<void> {
    await claimHome(this.client, 'byoh-system', name, where);
  }

  /** An agent that only pretends, with the rights of a real one. */
  async dryAgent(
    name: string,
    {
      onScript,
      facts = ubuntu,
      ...more
    }: Partial<AgentOptions> & { facts?: HostFacts; onScript?: (script: TracedScript) => number | undefined } = {},
  ): Promise<RunningAgent> {
    await this.home(name, more.namespace);
    const agent = await startAgent({
      client: this.agentClient(name),
      name,
      namespace,
      stateFolder: this.folder(),
      sandbox: dryRunSandbox({ facts, ...(onScript ? { onScript } : {}) }),
      ...more,
    });
    this.onEnd(() => agent.stop());
    return agent;
  }

  /** A Cluster as Cluster API has it once its infrastructure is ready, with a workload cluster that is this API server. */
  async cluster(name: string, options: { ready?: boolean; paused?: boolean } = {}): Promise<void> {
    const { client } = this;
    const infrastructureRef = { apiVersion, kind: 'ByoCluster', name, namespace };
    const cluster = await client.create(Cluster, {
      metadata: { name, namespace },
      spec: {
        paused: options.paused ?? false,
        controlPlaneEndpoint: { host: '10.0.0.9', port: 6443 },
        infrastructureRef,
      },
    });
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name, uid: cluster.metadata.uid ?? '' };
    await client.create(ByoCluster, {
      metadata: { name, namespace, ownerReferences: [owner], labels: { [clusterNameLabel]: name } },
      spec: { controlPlaneEndpoint: { host: '10.0.0.9', port: 0 } },
    });
    await eventually(async () => (await client.get(ByoCluster, { namespace, name })).status?.ready).toBe(true);
    if (options.ready ?? true) await this.infrastructureReady(name);
    const value = JSON.stringify(await this.kubeconfig());
    await client.create(kinds.Secret, {
      metadata: { name: `${name}-kubeconfig`, namespace },
      type: secretType,
      stringData: { value },
    });
  }

  async infrastructureReady(name: string): Promise<void> {
    const cluster = await this.client.get(Cluster, { namespace, name });
    await this.client.updateStatus(Cluster, { ...cluster, status: { infrastructureReady: true } });
  }

  /** The administrator's kubeconfig for this API server. */
  async kubeconfig(): Promise<object> {
    const { config } = await this.place.https();
    const { clientCertificate } = (await config.credentials?.current()) ?? {};
    const encode = (text = '') => Buffer.from(text).toString('base64');
    return {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'c',
          cluster: { server: config.server, 'certificate-authority-data': encode(config.certificateAuthority) },
        },
      ],
      users: [
        {
          name: 'u',
          user: {
            'client-certificate-data': encode(clientCertificate?.certificate),
            'client-key-data': encode(clientCertificate?.key),
          },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
  }

  /** The template that machines refer to by default. */
  async template(
    name = 't1',
    spec: object = { bundleRepo: 'registry.example.com/bundles', bundleType: 'k8s' },
    where = namespace,
  ): Promise<void> {
    await this.client.create(K8sInstallerConfigTemplate, {
      metadata: { name, namespace: where },
      spec: { template: { spec: spec as never } },
    });
  }

  /**
   * Creates the objects of Cluster API for one machine: the Machine, its bootstrap data, and the ByoMachine that it
   * owns.
   */
  async machine(name: string, options: MachineOptions = {}): Promise<void> {
    const { client } = this;
    const { cluster = 'c1', version = 'v1.26.6', bootstrap = emptyCloudConfig } = options;
    const dataSecretName = options.bootstrapSecretName ?? `${name}-boot`;
    const labels = { [clusterNameLabel]: cluster };
    await client.create(kinds.Secret, {
      metadata: { name: dataSecretName, namespace, labels },
      type: secretType,
      stringData: { format: 'cloud-config', value: bootstrap },
    });
    const owner = await client.create(Machine, {
      metadata: { name, namespace, labels },
      spec: {
        version,
        bootstrap: { dataSecretName },
        infrastructureRef: { apiVersion, kind: 'ByoMachine', name, namespace },
      },
    });
    const installerRef = options.installer ?? { apiVersion, kind: 'K8sInstallerConfigTemplate', name: 't1', namespace };
    await client.create(ByoMachine, {
      metadata: {
        name,
        namespace,
        labels,
        ownerReferences: [
          {
            apiVersion: 'cluster.x-k8s.io/v1beta1',
            kind: 'Machine',
            name,
            uid: owner.metadata.uid ?? '',
            controller: true,
          },
        ],
      },
      spec: {
        ...(installerRef ? { installerRef: installerRef as never } : {}),
        ...(options.selector ? { selector: options.selector } : {}),
      },
    });
  }

  /** The Node that kubeadm would have made. */
  async node(name: string): Promise<void> {
    await this.client.create(kinds.Node, { metadata: { name } }).catch((error: unknown) => {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    });
  }

  byoMachine(name: string): Promise<ByoMachine> {
    return this.client.get(ByoMachine, { namespace, name });
  }

  byoHost(name: string): Promise<ByoHost> {
    return this.client.get(ByoHost, { namespace, name });
  }

  /** `False InstallationSecretNotAvailable`. */
  async hostReady(machine: string): Promise<string> {
    const { status = '', reason = '' } =
      conditionOf((await this.byoMachine(machine)).status?.conditions, 'BYOHostReady') ?? {};
    return `${status} ${reason}`.trim();
  }

  async hostCondition(host: string, type: string): Promise<string> {
    const { status = '', reason = '' } = conditionOf((await this.byoHost(host)).status?.conditions, type) ?? {};
    return `${status} ${reason}`.trim();
  }

  async find<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    return await this.client.getOrUndefined(kind, { namespace, name });
  }

  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.client.list(kinds.Event, { namespace, fieldSelector: `involvedObject.name=${name}` });
    return items.map(({ reason }) => reason ?? '');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

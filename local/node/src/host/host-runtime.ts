import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type {
  ContainerMount,
  ContainerSpec,
  PodRuntime,
  PodSandbox,
  RunningContainer,
} from '../runtime/pod-runtime.ts';
import type { PodConnection, PodNetwork } from '../network/pod-network.ts';
import { SeccompProfileError, seccompFilter } from '../sandbox/seccomp-profile.ts';
import type { SandboxFlag } from '../sandbox/sandbox-job.ts';
import { namespaceOf, newNamespace } from '../sandbox/user-namespace.ts';
import { capabilityMask, UnknownCapabilityError } from './capability-set.ts';
import { type Cgroup, type Cgroups, findCgroups } from './cgroup.ts';
import type { ContainerFolders, ContainerPlan } from './container-plan.ts';
import { MountPathError } from './container-root.ts';
import { FifoPool } from './fifo-pool.ts';
import { nestedMounts } from './hidden-paths.ts';
import { HostContainer } from './host-container.ts';
import { type HostMachine, inspectHost } from './host-machine.ts';
import { buildMachineRoot } from './machine-root.ts';
import type { RootEntry } from './root-entry.ts';
import { findImage, type ImageMapping } from './image-mapping.ts';
import { endLeftovers } from './leftovers.ts';
import { type ProcessHolder, startProcessHolder } from './process-holder.ts';
import { memoryFolder, nameFor } from './memory-folder.ts';
import { planImageContainer } from './plan-image-container.ts';
import { planMachineContainer } from './plan-machine-container.ts';
import { ScratchPool } from './scratch-pool.ts';

export interface HostRuntimeOptions {
  /** A dedicated folder, on a file system that programs may be run from. Containers do not see it. */
  readonly directory: string;
  readonly clock?: Clock;
  readonly images?: ImageMapping;
  /** Images that only name programs of this machine: that they are not used is nothing to notice. */
  readonly ownImages?: readonly string[];
  /** Run images of the image store: specs have their `heldImage`, or none where the machine's programs replace an image. */
  readonly usesImages?: boolean;
  /** More paths of the machine that containers shall not see. */
  readonly hide?: readonly string[];
  /** Where the profiles of `seccompProfile.localhostProfile` are. A folder `seccomp` beside the directory, if not given. */
  readonly seccompProfiles?: string;
  /** The network of Pods, open already. It stays the caller's. Default: Pods have the machine's. */
  readonly network?: PodNetwork;
  /** The program that makes containers, if not the compiled one of the repository. */
  readonly sandbox?: string;
  /** Called once for each image that is not used, and once where limits are not enforced. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * Containers as processes of this machine, each in its own mount, PID, IPC, UTS and cgroup namespaces, made by
 * the program in native/sandbox. The root is that of an image of the store, or has the machine's own folders, read-only. See README.md for what keeps a container in, and what does not.
 *
 * @example
 * const runtime = new HostRuntime({ directory: '/var/lib/tektite/containers' });
 * await runtime.open();
 */
export class HostRuntime implements PodRuntime {
  readonly name: 'host' | 'images';
  readonly version = '1.0.0';
  readonly usesFiles = true;
  readonly usesImages: boolean;
  readonly startsAtOnce = false;
  private readonly options: HostRuntimeOptions;
  private readonly clock: Clock;
  /** The files of each start, lost when the machine stops. */
  private readonly memory: string;
  private readonly directory: string;
  private readonly scratch: ScratchPool;
  private readonly running = new Map<string, HostContainer>();
  private readonly holders = new Map<string, ProcessHolder>();
  /** Pods with a network of their own. */
  private readonly connections = new Map<string, PodConnection>();
  private readonly noticed = new Set<string>();
  private fifos: FifoPool;
  private machineFound: HostMachine | undefined;
  private cgroups: Cgroups | undefined;
  private hidden: readonly string[] = [];
  private machineRoot: readonly RootEntry[] = [];

  constructor(options: HostRuntimeOptions) {
    this.options = options;
    this.usesImages = options.usesImages ?? false;
    this.name = this.usesImages ? 'images' : 'host';
    this.clock = options.clock ?? systemClock;
    this.memory = memoryFolder(options.directory);
    this.directory = join(this.memory, 'containers');
    this.scratch = new ScratchPool(join(options.directory, 'scratch'));
    this.fifos = new FifoPool(join(this.memory, 'pipes'));
  }

  async open(): Promise<void> {
    // A missing folder has no processes; scanning all processes of a machine takes its time.
    if (existsSync(this.directory)) endLeftovers(this.directory);
    for (const name of ['containers', 'sandboxes']) {
      await rm(join(this.memory, name), { recursive: true, force: true });
      mkdirSync(join(this.memory, name), { recursive: true, mode: 0o700 });
    }
    const machine = await this.prepare();
    this.machineFound = machine;
    this.cgroups = findCgroups(nameFor(this.options.directory));
    const nested = machine.userNamespace ? nestedMounts() : [];
    this.hidden = [this.options.directory, ...nested, ...(this.options.hide ?? [])];
    this.machineRoot = buildMachineRoot(join(this.memory, 'machine'));
  }

  async createSandbox(sandbox: PodSandbox): Promise<readonly string[] | undefined> {
    const connection = sandbox.hostNetwork ? undefined : await this.options.network?.add(sandbox.uid);
    if (connection) this.connections.set(sandbox.uid, connection);
    const folder = this.sandboxFolder(sandbox.uid);
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o644 });
    write('hostname', `${sandbox.hostname}\n`);
    write('hosts', hostsFile(sandbox, connection?.address));
    write('resolv.conf', sandbox.resolvConf ?? readIfThere('/etc/resolv.conf'));
    if (sandbox.shareProcessNamespace && !this.holders.has(sandbox.uid))
      this.holders.set(sandbox.uid, await startProcessHolder(this.machine, this.namespaceOf(sandbox), folder));
    return connection && [connection.address];
  }

  async startContainer(spec: ContainerSpec): Promise<RunningContainer> {
    const directory = join(this.directory, spec.id);
    const scratch = this.scratch.take();
    mkdirSync(directory, { mode: 0o711 });
    let cgroup: Cgroup | undefined;
    try {
      const plan = this.plan(spec, { directory, scratch });
      cgroup = this.limit(spec);
      const connection = this.connections.get(spec.sandbox.uid);
      const container = await HostContainer.start({
        machine: this.machine,
        clock: this.clock,
        fifos: this.fifos,
        spec,
        process: {
          ...plan.process,
          capabilities: capabilityMask(spec.capabilities, spec.privileged),
          seccomp: seccompFilter(spec, this.options.seccompProfiles ?? join(this.options.directory, '..', 'seccomp')),
          cgroups: cgroup?.folders ?? [],
          flags: [...plan.processFlags, ...this.flagsOf(spec)],
        },
        container: {
          hostname: spec.sandbox.hostname,
          ...plan.root,
          ...this.sharedProcesses(spec),
          sysctls: sysctlsOf(spec.sandbox, connection !== undefined),
          ...(connection ? { network: connection.descriptor } : {}),
        },
        namespace: this.namespaceOf(spec.sandbox),
        flags: plan.rootFlags,
        directory,
        imageID: plan.imageID,
        ...(plan.stopSignal ? { stopSignal: plan.stopSignal } : {}),
        ...(cgroup ? { cgroup } : {}),
      });
      this.running.set(spec.id, container);
      void container.exited.then(() => {
        this.running.delete(spec.id);
        this.remove(directory, scratch);
      });
      return container;
    } catch (error) {
      cgroup?.remove();
      this.remove(directory, scratch);
      throw startFailure(error);
    }
  }

  async removeSandbox(uid: string): Promise<void> {
    await this.holders.get(uid)?.end();
    this.holders.delete(uid);
    if (this.connections.delete(uid)) await this.options.network?.remove(uid);
    rmSync(this.sandboxFolder(uid), { recursive: true, force: true });
  }

  async imageUser(image: string): Promise<string | undefined> {
    return findImage(this.options.images ?? {}, image).user;
  }

  async close(): Promise<void> {
    const ends = [...this.running.values()].map((container) => {
      container.signal('SIGKILL');
      return container.exited;
    });
    await Promise.all(ends);
    await Promise.all([...this.holders.values()].map((holder) => holder.end()));
    await this.scratch.close();
    this.cgroups?.close();
    if (this.memory.startsWith('/dev/shm/')) rmSync(this.memory, { recursive: true, force: true });
  }

  /** Checks the machine while folders and pipes are made. A runtime that cannot open leaves nothing under way, and no files. */
  private async prepare(): Promise<HostMachine> {
    const [machine, ...others] = await Promise.allSettled([
      inspectHost(this.options.sandbox),
      this.scratch.open(),
      this.fifos.open(),
    ]);
    const failed = [machine, ...others].find((each) => each.status === 'rejected');
    if (machine.status === 'fulfilled' && !failed) return machine.value;
    await this.close();
    throw failed?.reason;
  }

  private get machine(): HostMachine {
    if (!this.machineFound) throw new Error('the runtime was not opened');
    return this.machineFound;
  }

  private plan(spec: ContainerSpec, folders: ContainerFolders): ContainerPlan {
    const { userNamespace } = this.machine;
    const mounts = [...this.systemFiles(spec.sandbox), ...spec.mounts];
    if (spec.heldImage) return planImageContainer(spec, spec.heldImage, mounts, folders, userNamespace);
    const image = findImage(this.options.images ?? {}, spec.image);
    if (!this.usesImages && image.root === undefined && !this.options.ownImages?.includes(spec.image))
      this.notice(
        `image ${spec.image}`,
        `the image ${spec.image} is not used: its containers run with the programs of this machine`,
      );
    const base = { entries: this.machineRoot, hidden: this.hidden, userNamespace };
    return planMachineContainer(spec, image, mounts, folders, base);
  }

  private flagsOf(spec: ContainerSpec): SandboxFlag[] {
    const flags: SandboxFlag[] = spec.privileged ? ['privileged'] : [];
    return this.machine.userNamespace ? [...flags, 'userNamespace', 'singleId'] : flags;
  }

  private sandboxFolder(uid: string): string {
    return join(this.memory, 'sandboxes', uid);
  }

  private systemFiles(sandbox: PodSandbox): ContainerMount[] {
    return ['hostname', 'hosts', 'resolv.conf'].map((name) => ({
      hostPath: join(this.sandboxFolder(sandbox.uid), name),
      containerPath: `/etc/${name}`,
      readOnly: false,
    }));
  }

  private limit({ id, limits }: ContainerSpec): Cgroup | undefined {
    if (limits.memoryBytes === undefined && limits.cpuMillis === undefined && limits.cpuRequestMillis === undefined)
      return undefined;
    if (this.cgroups) return this.cgroups.create(id, limits);
    if (limits.memoryBytes !== undefined || limits.cpuMillis !== undefined)
      this.notice('cgroups', 'limits of memory and CPU are not enforced: this process may not write cgroups');
    return undefined;
  }

  /** All namespaces that the containers of a Pod share belong to one user namespace, and each container has to be in it. */
  private namespaceOf({ uid }: PodSandbox): string {
    const { network } = this.options;
    const holder = this.holders.get(uid);
    if (holder) return namespaceOf(this.machine, holder.pid);
    return network && this.connections.has(uid) ? namespaceOf(this.machine, network.pid) : newNamespace(this.machine);
  }

  private sharedProcesses({ sandbox }: ContainerSpec): { processesOf?: number } {
    const holder = this.holders.get(sandbox.uid);
    return holder ? { processesOf: holder.pid } : {};
  }

  private notice(key: string, text: string): void {
    if (this.noticed.has(key)) return;
    this.noticed.add(key);
    this.options.onNotice?.(text);
  }

  private remove(directory: string, scratch: string): void {
    rmSync(directory, { recursive: true, force: true });
    this.scratch.discard(scratch);
  }
}

/** Those of the network belong to the Pod's own; without one, they would be the machine's. */
function sysctlsOf({ sysctls }: PodSandbox, hasNetwork: boolean): ReadonlyMap<string, string> {
  const [shared] = hasNetwork ? [] : [...sysctls.keys()].filter((path) => path.startsWith('net/'));
  if (shared === undefined) return sysctls;
  const message = `failed to create container: ${shared} is a setting of the machine's network, which the Pod shares`;
  throw new ContainerStartError('CreateContainerError', message);
}

/** With an address, that of a kubelet; without one, the machine's, in whose network the Pod is. */
function hostsFile(sandbox: PodSandbox, address: string | undefined): string {
  const { name, hostname, fullName, hostAliases } = sandbox;
  if (address !== undefined) {
    const names = fullName === undefined ? hostname : `${fullName}\t${hostname}`;
    const added = hostAliases.map(({ ip, hostnames }) => `${ip}\t${hostnames.join('\t')}`);
    const others = added.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...added];
    return `${[...kubernetesHosts, `${address}\t${names}`, ...others].join('\n')}\n`;
  }
  const machine = readIfThere('/etc/hosts').trimEnd();
  const aliases = hostAliases.map(({ ip, hostnames }) => `${ip}\t${hostnames.join('\t')}`);
  const own = hostname === '' ? [] : [`127.0.0.1\t${hostname}${hostname === name ? '' : `\t${name}`}`];
  return `${[machine, ...own, ...aliases].filter((line) => line !== '').join('\n')}\n`;
}

const kubernetesHosts = [
  '# Kubernetes-managed hosts file.',
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function startFailure(error: unknown): unknown {
  if (
    error instanceof MountPathError ||
    error instanceof UnknownCapabilityError ||
    error instanceof SeccompProfileError
  )
    return new ContainerStartError('CreateContainerError', `failed to create container: ${error.message}`, {
      cause: error,
    });
  if (error instanceof Error && 'code' in error && 'syscall' in error)
    return new ContainerStartError('CreateContainerError', `failed to create container: ${error.message}`, {
      cause: error,
    });
  return error;
}

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client } from '@tektite/client';
import type { Duplex } from 'node:stream';
import { badRequestError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { AgentParts } from './agent/agent-parts.ts';
import { ApiEventSink, type EventSink } from './agent/event-sink.ts';
import { clientObjects } from './object-source.ts';
import { NodeAllocations } from './agent/node-allocations.ts';
import { PodAgent } from './agent/pod-agent.ts';
import { ReferencedObjects } from './agent/referenced-objects.ts';
import type { ClusterDns } from './agent/resolver-file.ts';
import type { ImageService } from './images/image-service.ts';
import type { LogLimits } from './logs/container-log.ts';
import { LogStore } from './logs/log-store.ts';
import type { ReadLogOptions } from './logs/read-log.ts';
import { inspectMachine } from './node/machine.ts';
import { NodeRegistration } from './node/node-registration.ts';
import { machineNetwork, type Network } from './runtime/network.ts';
import type {
  ExecRequest,
  ExecResult,
  OutputStream,
  PodRuntime,
  RunningContainer,
  TerminalSize,
} from './runtime/pod-runtime.ts';
import { type MachineUsage, UsageSampler } from './metrics/usage-sampler.ts';
import { memoryVolumes } from './volumes/memory-volumes.ts';
import { PodVolumes } from './volumes/pod-volumes.ts';
import { ProtectedFolders } from './volumes/protected-folders.ts';
import { clientTokens } from './volumes/service-account-token.ts';

export interface NodeOptions {
  /** Time and chance are the client's. */
  readonly client: Client;
  readonly runtime: PodRuntime;
  /** Needed by runtimes that use images. */
  readonly images?: ImageService;
  /** The name of the Node object. Default: the machine's hostname. */
  readonly name?: string;
  /** Where Pods' volumes and logs are kept. A folder of the node's own. */
  readonly dataDir: string;
  /** Folders that volumes of Pods never show, in addition to `dataDir`. */
  readonly protectedFolders?: readonly string[];
  /** The folder of claims, where it is in one of those. */
  readonly claimsFolder?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** Where containers find the API: becomes `KUBERNETES_SERVICE_HOST` and its relatives. */
  readonly api?: ApiAddress;
  /** The same for Pods with a network of their own. Default: `api`. */
  readonly networkApi?: ApiAddress;
  /** How Pods are reached, where they have a network of their own. Default: the machine's. */
  readonly network?: Network;
  /** The name server of Pods. Default: those of the machine. */
  readonly dns?: ClusterDns;
  /** The address of the node, and of Pods without a network of their own. Default: the machine's first that is not loopback. */
  readonly address?: string;
  /** How many Pods may be here at once. Default 110, as for kubelets. */
  readonly maxPods?: number;
  readonly events?: EventSink;
  readonly logLimits?: LogLimits;
  /** Called with all errors that will be retried. */
  readonly onError?: (error: Error) => void;
}

interface ApiAddress {
  readonly host: string;
  readonly port: number;
}

/** Which log, and how much of it. The words are those of the API. */
export interface NodeLogOptions extends ReadLogOptions {
  readonly container: string;
  readonly previous?: boolean;
}

/** A node that runs. Disposing it ends its containers and leaves the Node object, as a machine that is switched off does. */
export interface RunningNode extends AsyncDisposable {
  readonly name: string;
  /** The output of a container. Rejects with a StatusError when there is no such container. */
  log(pod: Pod, options: NodeLogOptions): AsyncIterable<Uint8Array>;
  /** Runs a program in a container. Rejects with a StatusError when it does not run. */
  exec(pod: Pod, container: string, request: ExecRequest, signal?: AbortSignal): Promise<ExecResult>;
  /** Gives what a container prints from now on, and gives it input if it takes any. Resolves when it ends. */
  attach(pod: Pod, container: string, request: AttachRequest, signal?: AbortSignal): Promise<void>;
  /** Connects to a port of a Pod, as its own programs would on localhost. Rejects when the Pod does not run or no program listens. */
  dial(pod: Pod, port: number, signal?: AbortSignal): Promise<Duplex>;
  /** The use of the machine and of the Pods on it. */
  usage(): Promise<MachineUsage>;
}

export interface AttachRequest {
  readonly stdin?: NodeJS.ReadableStream;
  readonly onOutput: (stream: OutputStream, chunk: Uint8Array) => void;
  /** Sizes for the terminal of the container, as they come. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

/**
 * Makes this machine a node: registers it, and runs the Pods that are bound to it.
 *
 * @example
 * const runtime = new HostRuntime({ directory: `${dataDir}/host` });
 * await using node = await startNode({ client, runtime, dataDir });
 * server.nodes.register(node.name, node);
 */
export async function startNode(options: NodeOptions, signal?: AbortSignal): Promise<RunningNode> {
  const { client, runtime, onError = () => undefined } = options;
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  if (runtime.usesImages && !options.images) throw new Error(`the runtime ${runtime.name} needs an image service`);
  await runtime.open();
  const found = await inspectMachine(dataDir, options.maxPods);
  const machine = options.address ? { ...found, addresses: [options.address] } : found;
  const name = options.name ?? machine.hostname;
  const ownEvents = new ApiEventSink(client, name);
  const tokens = clientTokens(client);
  const references = new ReferencedObjects(client, onError);
  const parts: AgentParts = {
    nodeName: name,
    client,
    clock: client.clock,
    random: client.random,
    runtime,
    ...(options.images ? { images: options.images } : {}),
    events: options.events ?? ownEvents,
    allocations: new NodeAllocations(machine.capacity),
    volumes: new PodVolumes({
      client,
      files: runtime.usesFiles,
      images: runtime.usesImages ?? false,
      protectedFolders: new ProtectedFolders([dataDir, ...(options.protectedFolders ?? [])], options.claimsFolder),
      memoryDirectory: memoryVolumes(dataDir),
    }),
    tokens,
    references,
    logs: new LogStore(join(dataDir, 'logs'), client.clock, options.logLimits, onError),
    environment: {
      objects: clientObjects(client),
      podIPs: machine.addresses,
      hostIPs: machine.addresses,
      allocatable: machine.capacity,
      serviceVariables: serviceVariables(options.networkApi ?? options.api),
    },
    machineVariables: serviceVariables(options.api),
    network: options.network ?? machineNetwork,
    ...(options.dns ? { dns: options.dns } : {}),
    podsDirectory: join(dataDir, 'pods'),
    onError,
  };
  const runtimeVersion = `${runtime.name}://${runtime.version}`;
  const facts = { name, machine, runtimeVersion, labels: options.labels ?? {}, taints: options.taints ?? [] };
  const registration = new NodeRegistration(client, facts, onError);
  const agent = new PodAgent(parts);
  const close = async () => {
    await registration[Symbol.asyncDispose]();
    await agent[Symbol.asyncDispose]();
    await references[Symbol.asyncDispose]();
    await runtime.close();
    await parts.volumes.close();
    await ownEvents.flushed();
  };
  try {
    await registration.start();
    await agent.start(signal);
  } catch (error) {
    await close();
    throw error;
  }
  return { name, ...connector(parts, agent), [Symbol.asyncDispose]: close };
}

function connector(
  { logs, runtime, network, clock }: AgentParts,
  agent: PodAgent,
): Omit<RunningNode, 'name' | typeof Symbol.asyncDispose> {
  const sampler = new UsageSampler(clock);
  return {
    usage: () => sampler.measure(agent.running()),
    log(pod, { container, previous = false, ...options }) {
      const { name = '', namespace = '', uid = '' } = pod.metadata;
      const newest = agent.worker(pod)?.attempt(container) ?? -1;
      const attempt = previous ? newest - 1 : newest;
      if (attempt < 0 && previous)
        throw badRequestError(
          `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`,
        );
      if (attempt < 0)
        throw badRequestError(
          `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ${waitingReason(pod, container)}`,
        );
      return logs.read({ namespace, name, uid }, container, attempt, options);
    },
    async exec(pod, container, request, signal) {
      const running = agent.worker(pod)?.container(container);
      if (!running) throw badRequestError(`container not found (${JSON.stringify(container)})`);
      return running.exec(request, signal);
    },
    async attach(pod, container, { stdin, onOutput, sizes }, signal) {
      const { name = '', namespace = '', uid = '' } = pod.metadata;
      const worker = agent.worker(pod);
      const running = worker?.container(container);
      const log = worker && logs.current({ namespace, name, uid }, container, worker.attempt(container));
      if (!running || !log) throw badRequestError(`container not found (${JSON.stringify(container)})`);
      let hasOutput = false;
      using _output = log.listen((stream, chunk) => {
        hasOutput = true;
        onOutput(stream, chunk);
      });
      if (stdin && running.stdin) stdin.pipe(running.stdin).on('error', () => undefined);
      if (sizes) void followSizes(running, sizes).catch(() => undefined);
      const detached = new Promise<void>((resolve) =>
        signal?.addEventListener('abort', () => resolve(), { once: true }),
      );
      const exit = await Promise.race([running.exited, detached]);
      if (stdin && running.stdin) stdin.unpipe(running.stdin);
      // It was exiting already: an error makes kubectl print the log instead, as it does for a container that has exited.
      if (!exit || hasOutput || log.isEmpty) return;
      await log.close();
      throw badRequestError(`container ${container} not running`);
    },
    async dial(pod, port, signal) {
      const { name = '', namespace = '' } = pod.metadata;
      if (!agent.worker(pod)?.isRunning) throw badRequestError(`pod ${name}_${namespace} is not running`);
      if (!runtime.usesFiles) throw badRequestError('containers only seem to run, and no program listens');
      const inside = pod.spec?.hostNetwork ? undefined : network.connectInside?.(pod.metadata.uid ?? '', port, signal);
      return await (inside ?? machineNetwork.connect('127.0.0.1', port, signal)).catch((error: Error) => {
        throw new Error(`failed to connect to localhost:${port}: ${error.message}`, { cause: error });
      });
    },
  };
}

/** Ends with the sizes, which end with the session. */
async function followSizes(running: RunningContainer, sizes: AsyncIterable<TerminalSize>): Promise<void> {
  for await (const size of sizes) running.resize?.(size);
}

function waitingReason({ status }: Pod, container: string): string {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return all.find(({ name }) => name === container)?.state?.waiting?.reason ?? 'ContainerCreating';
}

/** The environment variables of the Service of the API, as on a cluster. */
function serviceVariables(api: ApiAddress | undefined): Map<string, string> {
  if (!api) return new Map();
  const { host, port } = api;
  const url = `tcp://${host}:${port}`;
  const prefix = `KUBERNETES_PORT_${port}_TCP`;
  return new Map([
    ['KUBERNETES_SERVICE_HOST', host],
    ['KUBERNETES_SERVICE_PORT', String(port)],
    ['KUBERNETES_SERVICE_PORT_HTTPS', String(port)],
    ['KUBERNETES_PORT', url],
    [prefix, url],
    [`${prefix}_PROTO`, 'tcp'],
    [`${prefix}_PORT`, String(port)],
    [`${prefix}_ADDR`, host],
  ]);
}

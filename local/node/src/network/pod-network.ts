import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { closeSync, openSync } from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { systemClock } from '@tektite/meta';
import { findNativeProgram } from '@tektite/native';
import { ConnectionRelay } from '../runtime/connection-relay.ts';
import { connected, machineNetwork, type Network } from '../runtime/network.ts';
import { RuntimeError } from '../runtime/runtime-error.ts';
import { AddressPool } from './address-pool.ts';
import { parseIpv4 } from './ip-address.ts';
import { NetworkError, NetworkProcess, type SocketHandle } from './network-process.ts';

/** The first numbers of the addresses of Pods and Services: the same on every node, because no other network sees them. */
const pods = '10.244';
const services = '10.96';
/** How many Pods are connected ahead. */
const spares = 2;
/** They are made when no Pod was added for so long: what starts now needs the processor more. */
const spareDelayMs = 50;

export interface PodNetworkOptions {
  /** A folder of the node, which names the process that holds the network. */
  readonly directory: string;
  /** The program, if not the compiled one of the repository. */
  readonly program?: string;
}

/** A Pod's part of the network. */
export interface PodConnection {
  readonly address: string;
  /** Open on the network namespace, until the Pod is removed. */
  readonly descriptor: number;
}

interface KnownPod extends PodConnection {
  readonly number: number;
}

/**
 * A network of the node's Pods: each has a network namespace and an address, connected by a bridge that only they are on.
 *
 * A process of native/network holds it, in a user namespace where this process is not root. This process gets sockets of that network:
 * it reaches Pods, and listens on the addresses of Services, as if it were there.
 *
 * Guarantees
 * - Nothing of the machine's network is changed but by `connectMachine`, and nothing is left when this process ends, however it does.
 * - `connect` reaches Pods and Services in their network, everything else in the machine's.
 */
export class PodNetwork implements Network, AsyncDisposable {
  private readonly process: NetworkProcess;
  private readonly addresses = new AddressPool();
  private readonly known = new Map<string, Promise<KnownPod>>();
  /** Made ahead: a Pod that starts does not wait for the kernel. */
  private readonly spare: Promise<KnownPod>[] = [];
  private wayOut: ConnectionRelay | undefined;
  private preparing: Disposable | undefined;

  /** Rejects with a {@link RuntimeError} where this machine cannot have such a network. */
  static async open({ directory, program }: PodNetworkOptions): Promise<PodNetwork> {
    const path = program ?? findNativeProgram('network');
    if (path === undefined)
      throw unavailable('the program that makes it is not compiled: install a C compiler, then run `npm run build`');
    const userNamespace = process.getuid?.() !== 0;
    const holder = new NetworkProcess({ program: path, userNamespace, pods, services, folder: directory });
    const network = new PodNetwork(holder);
    try {
      await holder.started;
      network.prepare();
      return network;
    } catch (error) {
      await network[Symbol.asyncDispose]();
      throw unavailable((error as Error).message, error);
    }
  }

  private constructor(process: NetworkProcess) {
    this.process = process;
  }

  /** Resolves when there is no network any more. */
  get ended(): Promise<void> {
    return this.process.ended;
  }

  /** The process whose user namespace the containers of Pods have to be in. */
  get pid(): number {
    return this.process.pid;
  }

  /**
   * Lets Pods reach other networks: this process connects in their place, with the machine's addresses. Only TCP. Rejects with a
   * {@link RuntimeError} where the kernel lacks the means.
   */
  async openWayOut(): Promise<void> {
    try {
      const server = await this.serve(await this.process.wayOut());
      // A connection is accepted on the address that the Pod meant.
      this.wayOut = new ConnectionRelay(server, ({ localAddress = '', localPort = 0 }) =>
        connectOutside(localAddress, localPort),
      );
    } catch (error) {
      throw unavailable(`Pods would not reach other networks: ${(error as Error).message}`, error);
    }
  }

  /**
   * Lets the machine, and Pods with its network, reach Pods and Services at their addresses. It is the one thing that changes the network of
   * the machine, and takes root. Rejects with a {@link RuntimeError}.
   */
  async connectMachine(): Promise<void> {
    try {
      await this.process.connectMachine();
    } catch (error) {
      throw unavailable(`this machine would not reach Pods: ${(error as Error).message}`, error);
    }
  }

  /** Connects a Pod. Doing it again changes nothing. */
  add(uid: string): Promise<PodConnection> {
    const known = this.known.get(uid);
    if (known) return known;
    const adding = this.spare.shift() ?? this.connectPod();
    this.known.set(uid, adding);
    adding.catch(() => this.known.delete(uid));
    this.preparing?.[Symbol.dispose]();
    this.preparing = systemClock.setTimer(spareDelayMs, () => this.prepare());
    return adding;
  }

  /** After all processes of the Pod have ended. */
  async remove(uid: string): Promise<void> {
    const adding = this.known.get(uid);
    this.known.delete(uid);
    if (adding) await this.disconnectPod(adding);
  }

  async connect(host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    if (!isInside(host)) return machineNetwork.connect(host, port, signal);
    return this.dial(0, host, port, signal);
  }

  /** Connects to a port of a Pod from inside the Pod, where also programs that listen on loopback only are reached. */
  async connectInside(uid: string, port: number, signal?: AbortSignal): Promise<Socket> {
    const pod = await this.known.get(uid);
    if (!pod) throw new NetworkError('the Pod has no network');
    return this.dial(pod.number, '127.0.0.1', port, signal);
  }

  async listen(host: string, port: number): Promise<Server> {
    if (!isInside(host)) return machineNetwork.listen(host, port);
    return this.serve(await this.process.listen(parseIpv4(host) ?? 0, port, 'tcp'));
  }

  async listenUdp(host: string, port: number): Promise<UdpSocket> {
    if (!isInside(host)) return machineNetwork.listenUdp(host, port);
    return bound(await this.process.listen(parseIpv4(host) ?? 0, port, 'udp'));
  }

  async udpSocket(): Promise<UdpSocket> {
    return bound(await this.process.socket(0, 'udp'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.wayOut?.[Symbol.dispose]();
    this.preparing?.[Symbol.dispose]();
    await Promise.all([...this.known.values(), ...this.spare].map((each) => this.disconnectPod(each)));
    await this.process.close();
  }

  private prepare(): void {
    while (this.spare.length < spares) {
      const made = this.connectPod();
      made.catch(() => undefined);
      this.spare.push(made);
    }
  }

  private async disconnectPod(adding: Promise<KnownPod>): Promise<void> {
    const pod = await adding.catch(() => undefined);
    if (!pod) return;
    closeSync(pod.descriptor);
    await this.process.removePod(pod.number).catch(ignoreEnd);
    this.addresses.free(pod.number);
  }

  private async connectPod(): Promise<KnownPod> {
    const number = this.addresses.take();
    if (number === undefined) throw new NetworkError('all addresses of Pods are used');
    try {
      const remote = await this.process.addPod(number);
      // The same open file, so to speak: a namespace can be opened by the descriptor of another process.
      const descriptor = openSync(`/proc/${this.process.pid}/fd/${remote}`, 'r');
      return { number, descriptor, address: `${pods}.${number >> 8}.${number & 0xff}` };
    } catch (error) {
      this.addresses.free(number);
      throw error;
    }
  }

  private async dial(pod: number, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    const handle = await this.process.socket(pod, 'tcp');
    // `manualStart`: it is read from when it is connected, not before.
    const options = { handle, allowHalfOpen: true, manualStart: true };
    const socket = new Socket(options as unknown as ConstructorParameters<typeof Socket>[0]);
    return connected(socket.connect({ host, port }), signal);
  }

  private async serve(handle: SocketHandle): Promise<Server> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(handle, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.unref();
    return server;
  }
}

function bound(handle: SocketHandle): UdpSocket {
  const socket = createSocket('udp4');
  (socket.bind as (handle: SocketHandle) => UdpSocket).call(socket, handle);
  socket.unref();
  return socket;
}

/** Whether an address is a Pod's or a Service's. */
function isInside(host: string): boolean {
  return parseIpv4(host) !== undefined && (host.startsWith(`${pods}.`) || host.startsWith(`${services}.`));
}

/** Neither to this network, whose own sockets answer in it, nor to programs that the machine keeps to itself. */
async function connectOutside(host: string, port: number): Promise<Socket> {
  if (isInside(host) || /^(?:0|127)\./.test(host)) throw new NetworkError(`${host} is no other network`);
  return machineNetwork.connect(host, port);
}

function ignoreEnd(error: unknown): void {
  if (!(error instanceof NetworkError)) throw error;
}

function unavailable(why: string, cause?: unknown): RuntimeError {
  return new RuntimeError(
    'NETWORK_UNAVAILABLE',
    `Pods cannot have a network on this machine: ${why}. \`--network host\` gives them the machine's`,
    { cause },
  );
}

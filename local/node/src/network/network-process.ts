import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** A command of the network program failed, or the program itself. */
export class NetworkError extends Error {}

export type SocketKind = 'tcp' | 'udp';

/** A socket of the network, not yet in the hands of `node:net` or `node:dgram`, which take it where they take a handle. */
export type SocketHandle = object;

export interface NetworkProcessOptions {
  readonly program: string;
  /** Whether the network needs a user namespace because this process is not root. */
  readonly userNamespace: boolean;
  /** The first two numbers of the addresses of Pods, and of Services. */
  readonly pods: string;
  readonly services: string;
  /** The folder that the process belongs to, by which a later process finds it. */
  readonly folder: string;
}

interface Pending {
  readonly resolve: (answer: number | SocketHandle) => void;
  readonly reject: (error: Error) => void;
}

const operations = { add: 1, remove: 2, socket: 3, listen: 4, wayOut: 5, connectMachine: 6 } as const;
const kinds: Readonly<Record<SocketKind, number>> = { tcp: 1, udp: 2 };
const maxFrame = 4096;
const frameHeader = 12;

/**
 * A process of the network program (native/network), which holds the network of Pods.
 *
 * Commands and answers go over a socket. Sockets come over Node's channel between processes, in the form in which Node
 * sends handles: no other way brings a socket into this process.
 *
 * Guarantees
 * - A command settles once, at the latest when the process ends.
 * - It dies with this process, and the network with it. It does not keep this process alive.
 */
export class NetworkProcess {
  readonly pid: number;
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly control: Socket;
  private readonly pending = new Map<number, Pending>();
  private failure: NetworkError | undefined;
  private last = 0;

  constructor({ program, userNamespace, pods, services, folder }: NetworkProcessOptions) {
    const namespace = userNamespace ? `self:${process.getuid?.()}:${process.getgid?.()}` : 'none';
    this.child = spawn(program, ['serve', String(process.pid), namespace, pods, services, folder], {
      // A separate session: the terminal's Ctrl-C is for this process.
      detached: true,
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.pid = this.child.pid ?? 0;
    this.control = this.child.stdio[3] as unknown as Socket;
    this.started = this.answer(0).then(() => undefined);
    this.started.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => this.fail(error.message, resolve));
      this.child.once('exit', () => this.fail('the network of Pods has ended', resolve));
    });
    this.readAnswers();
    this.child.on('message', (message, handle) => this.take(message, handle));
  }

  /** Makes the namespace of a Pod. Resolves with the number of its descriptor in that process. */
  async addPod(number: number): Promise<number> {
    return (await this.send('add', number)) as number;
  }

  async removePod(number: number): Promise<void> {
    await this.send('remove', number);
  }

  /** A socket in the namespace of a Pod, or with 0 in that of the bridge. It is neither bound nor connected. */
  async socket(pod: number, kind: SocketKind): Promise<SocketHandle> {
    return (await this.send('socket', pod, kinds[kind])) as SocketHandle;
  }

  /** A socket that listens in the namespace of the bridge. */
  async listen(address: number, port: number, kind: SocketKind): Promise<SocketHandle> {
    return (await this.send('listen', address, port, kinds[kind])) as SocketHandle;
  }

  /** A socket that accepts the connections of Pods to all other networks. */
  async wayOut(): Promise<SocketHandle> {
    return (await this.send('wayOut')) as SocketHandle;
  }

  /** Gives the machine a device in the network, with routes to Pods and Services. They end with the network. */
  async connectMachine(): Promise<void> {
    await this.send('connectMachine');
  }

  async close(): Promise<void> {
    this.child.ref();
    this.control.destroy();
    await this.ended;
  }

  private send(operation: keyof typeof operations, ...values: number[]): Promise<number | SocketHandle> {
    if (this.failure) return Promise.reject(this.failure);
    const id = ++this.last;
    const frame = Buffer.alloc(frameHeader + 4 * values.length);
    const words = [frame.length - 4, id, operations[operation], ...values];
    for (const [index, word] of words.entries()) frame.writeUInt32LE(word >>> 0, 4 * index);
    const answer = this.answer(id);
    this.control.write(frame);
    return answer;
  }

  private answer(id: number): Promise<number | SocketHandle> {
    const answer = new Promise<number | SocketHandle>((resolve, reject) => this.pending.set(id, { resolve, reject }));
    this.keepAlive();
    return answer;
  }

  /** Only what waits for an answer keeps this process alive. */
  private keepAlive(): void {
    const action = this.pending.size > 0 ? 'ref' : 'unref';
    for (const each of [this.child, this.child.channel, this.control]) each?.[action]();
  }

  private settle(id: number, action: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    this.keepAlive();
    action(pending);
  }

  private take(message: unknown, handle: unknown): void {
    const { id } = message as { id: number };
    this.settle(id, ({ resolve }) => resolve(handle as SocketHandle));
  }

  private fail(message: string, done: () => void): void {
    this.failure ??= new NetworkError(message);
    for (const id of this.pending.keys()) this.settle(id, ({ reject }) => reject(this.failure ?? new Error(message)));
    this.control.destroy();
    done();
  }

  private readAnswers(): void {
    let pending: Buffer = Buffer.alloc(0);
    this.control.on('error', () => undefined);
    this.control.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4) {
        const length = pending.readUInt32LE(0);
        if (length < 8 || length > maxFrame) return void this.control.destroy();
        if (pending.length < 4 + length) return;
        const [id, failed, content] = [
          pending.readUInt32LE(4),
          pending.readUInt32LE(8),
          pending.subarray(12, 4 + length),
        ];
        const text = failed ? content.toString() : '';
        // An error of the program as a whole: it ends.
        if (failed && id === 0) this.failure = new NetworkError(text);
        this.settle(id, ({ resolve, reject }) =>
          failed ? reject(new NetworkError(text)) : resolve(content.readUInt32LE(0)),
        );
        pending = pending.subarray(4 + length);
      }
    });
  }
}

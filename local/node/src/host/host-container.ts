import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Clock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type {
  ContainerExit,
  ContainerLimits,
  ContainerSpec,
  ExecRequest,
  ExecResult,
  RunningContainer,
  TerminalSize,
} from '../runtime/pod-runtime.ts';
import { forwardOutput } from '../runtime/forward-output.ts';
import { encodeJob, JobError, type SandboxFlag, type SandboxJob } from '../sandbox/sandbox-job.ts';
import { SandboxError, SandboxProcess } from '../sandbox/sandbox-process.ts';
import { namespaceOf } from '../sandbox/user-namespace.ts';
import type { Cgroup } from './cgroup.ts';
import type { FifoPool } from './fifo-pool.ts';
import type { HostMachine } from './host-machine.ts';

export interface HostContainerParts {
  readonly machine: HostMachine;
  readonly clock: Clock;
  readonly fifos: FifoPool;
  readonly spec: Pick<ContainerSpec, 'id' | 'output' | 'stdin' | 'tty'>;
  /** The process to run; its flags are for programs that are run beside it too. */
  readonly process: Omit<SandboxJob, 'container' | 'target'>;
  readonly container: NonNullable<SandboxJob['container']>;
  /** The user namespace of the container, as native/sandbox/src/namespaces.h describes it. */
  readonly namespace: string;
  /** Flags of the container alone. */
  readonly flags: readonly SandboxFlag[];
  readonly directory: string;
  readonly cgroup?: Cgroup;
  readonly imageID: string;
  readonly stopSignal?: NodeJS.Signals;
}

/** A container as a tree of processes. */
export class HostContainer implements RunningContainer {
  readonly id: string;
  readonly imageID: string;
  readonly startedAt: number;
  readonly exited: Promise<ContainerExit>;
  readonly user: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  readonly stdin?: NodeJS.WritableStream;
  readonly stopSignal?: NodeJS.Signals;
  readonly processId?: number;
  private readonly parts: HostContainerParts;
  private readonly sandbox: SandboxProcess;
  /** The first process, as the host counts. */
  private readonly pid: number;
  private ended = false;

  private constructor(parts: HostContainerParts, sandbox: SandboxProcess, pid: number, exited: Promise<number>) {
    this.parts = parts;
    this.id = parts.spec.id;
    this.imageID = parts.imageID;
    this.sandbox = sandbox;
    this.pid = pid;
    this.startedAt = parts.clock.now();
    const { uid, gid, groups } = parts.process.user;
    this.user = { uid, gid, supplementalGroups: [...new Set([gid, ...groups])] };
    if (sandbox.child.stdin) this.stdin = sandbox.child.stdin;
    if (sandbox.child.pid !== undefined) this.processId = sandbox.child.pid;
    if (parts.stopSignal) this.stopSignal = parts.stopSignal;
    this.exited = exited.then((code) => this.finish(code));
  }

  /** Starts the processes and waits until the container's own program runs. */
  static async start(parts: HostContainerParts): Promise<HostContainer> {
    const { spec, fifos, machine, container } = parts;
    const process = spec.tty ? inTerminal(parts.process) : parts.process;
    const owner = machine.userNamespace ? undefined : process.user;
    const [out, err] = await Promise.all([fifos.take(owner), fifos.take(owner)]);
    let sandbox: SandboxProcess;
    try {
      sandbox = new SandboxProcess({
        program: machine.sandbox,
        mode: 'run',
        namespace: parts.namespace,
        folder: parts.directory,
        job: encodeJob({ ...process, container, flags: [...process.flags, ...parts.flags] }),
        stdio: [spec.stdin ? 'pipe' : 'ignore', out.writerFd, err.writerFd],
      });
    } catch (error) {
      for (const { reader } of [out, err]) reader.destroy();
      parts.cgroup?.remove();
      throw startError(error, parts.imageID);
    } finally {
      for (const { writerFd } of [out, err]) closeSync(writerFd);
    }
    const output = Promise.all([forward(out.reader, 'stdout', spec), forward(err.reader, 'stderr', spec)]);
    const exited = sandbox.ended.then(async (code) => {
      await output;
      return code;
    });
    try {
      return new HostContainer(parts, sandbox, await sandbox.started, exited);
    } catch (error) {
      await exited;
      parts.cgroup?.remove();
      throw startError(error, parts.imageID);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) this.sandbox.signal(signal);
  }

  resize(size: TerminalSize): void {
    if (this.parts.spec.tty && !this.ended) this.sandbox.resize(size);
  }

  setLimits(limits: ContainerLimits): void {
    if (!this.ended) this.parts.cgroup?.update(limits);
  }

  async exec(request: ExecRequest, signal?: AbortSignal): Promise<ExecResult> {
    if (this.ended) throw new Error(`container ${this.id} is not running`);
    const { machine, process, directory } = this.parts;
    const { command, tty = false } = request;
    let sandbox: SandboxProcess;
    try {
      sandbox = new SandboxProcess({
        program: machine.sandbox,
        mode: 'exec',
        namespace: namespaceOf(machine, this.sandbox.child.pid as number),
        folder: directory,
        job: encodeJob({ ...(tty ? inTerminal(process) : process), command, target: this.pid }),
        stdio: [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      throw startError(error, this.imageID);
    }
    const { child } = sandbox;
    const closed = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
    const abort = () => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    if (tty && request.sizes) void sandbox.followSize(request.sizes).catch(() => undefined);
    forwardOutput(child.stdout, 'stdout', request.onOutput);
    forwardOutput(child.stderr, 'stderr', request.onOutput);
    if (request.stdin && child.stdin) request.stdin.pipe(child.stdin).on('error', () => undefined);
    try {
      await sandbox.started.catch((error: unknown) => {
        if (!signal?.aborted) throw startError(error, this.imageID);
      });
      await closed;
      return { exitCode: await sandbox.ended };
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  private finish(code: number): ContainerExit {
    this.ended = true;
    const oomKilled = code !== 0 && (this.parts.cgroup?.oomKilled() ?? false);
    this.parts.cgroup?.remove();
    return { exitCode: code, oomKilled, finishedAt: this.parts.clock.now() };
  }
}

/** The same process, with a terminal of the container. */
function inTerminal(process: HostContainerParts['process']): HostContainerParts['process'] {
  return { ...process, env: new Map([['TERM', 'xterm'], ...process.env]), flags: [...process.flags, 'terminal'] };
}

/** In the words of kubelets, which users search for. */
function startError(error: unknown, imageID: string): unknown {
  if (!(error instanceof SandboxError || error instanceof JobError)) return error;
  return new ContainerStartError(
    'RunContainerError',
    `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${error.message}`,
    { imageID, cause: error },
  );
}

function forward(
  reader: Socket,
  stream: 'stdout' | 'stderr',
  { output }: Pick<ContainerSpec, 'output'>,
): Promise<void> {
  return new Promise((resolve) => {
    reader.on('data', (chunk: Buffer) => {
      if (output.write(stream, chunk)) return;
      reader.pause();
      void output.drained().finally(() => reader.resume());
    });
    reader.once('error', () => undefined);
    reader.once('close', () => resolve());
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type {
  ContainerExit,
  ContainerSpec,
  ExecRequest,
  ExecResult,
  RunningContainer,
} from '../runtime/pod-runtime.ts';
import { forwardOutput } from '../runtime/forward-output.ts';
import { followSize, inTerminal } from '../runtime/terminal.ts';
import type { Cgroup } from './cgroup.ts';
import { readStartReport } from './control-channel.ts';
import type { FifoPool } from './fifo-pool.ts';
import { type HostMachine, toolPath } from './host-machine.ts';
import { execCommand, type ProcessUser, startCommand } from './sandbox-command.ts';
import { environmentScript } from './setup-script.ts';
import type { InnerTools } from './tool-box.ts';

export interface HostContainerParts {
  readonly machine: HostMachine;
  readonly clock: Clock;
  readonly fifos: FifoPool;
  readonly spec: ContainerSpec;
  readonly user: ProcessUser;
  /** The whole command line. */
  readonly command: readonly string[];
  /** The variables, with those of the image. */
  readonly env: ReadonlyMap<string, string>;
  readonly directory: string;
  readonly cgroup?: Cgroup;
  readonly imageID: string;
  readonly pidNamespaceOf?: number;
  readonly inner: InnerTools;
  /** Keeps what this process inherited from the child. */
  readonly stdio: (wanted: ('ignore' | 'pipe' | number)[]) => ('ignore' | 'pipe' | number)[];
}

/** A container as a tree of processes. */
export class HostContainer implements RunningContainer {
  readonly id: string;
  readonly imageID: string;
  readonly startedAt: number;
  readonly exited: Promise<ContainerExit>;
  readonly user: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  readonly stdin?: NodeJS.WritableStream;
  private readonly parts: HostContainerParts;
  private readonly outer: ChildProcess;
  private readonly pid: number;
  private ended = false;

  private constructor(parts: HostContainerParts, outer: ChildProcess, pid: number, exited: Promise<{ code: number }>) {
    this.parts = parts;
    this.id = parts.spec.id;
    this.imageID = parts.imageID;
    this.outer = outer;
    this.pid = pid;
    this.startedAt = parts.clock.now();
    const { uid, gid, groups } = parts.user;
    this.user = { uid, gid, supplementalGroups: [...new Set([gid, ...groups])] };
    if (outer.stdin) this.stdin = outer.stdin;
    this.exited = exited.then(({ code }) => this.finish(code));
  }

  /** Starts the processes and waits until the container's own program runs. */
  static async start(parts: HostContainerParts): Promise<HostContainer> {
    const { spec, fifos, user, machine } = parts;
    const owner = machine.userNamespace ? undefined : user;
    const [out, err] = await Promise.all([fifos.take(owner), fifos.take(owner)]);
    const envFd = environmentDescriptor(parts);
    const [program = '', ...args] = startCommand(
      machine,
      spec,
      user,
      {
        directory: parts.directory,
        cgroups: parts.cgroup?.folders ?? [],
        inner: parts.inner,
        ...(parts.pidNamespaceOf === undefined ? {} : { pidNamespaceOf: parts.pidNamespaceOf }),
      },
      parts.command,
    );
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        // A separate session: the terminal's Ctrl-C is for this process.
        detached: true,
        cwd: '/',
        env: { PATH: toolPath, LC_ALL: 'C' },
        stdio: parts.stdio([spec.stdin ? 'pipe' : 'ignore', out.writerFd, err.writerFd, envFd, 'pipe']),
      });
    } catch (error) {
      // Words that no program can be given: null bytes, or too many of them.
      for (const { reader } of [out, err]) reader.destroy();
      parts.cgroup?.remove();
      throw startError((error as Error).message, parts.imageID);
    } finally {
      for (const fd of [out.writerFd, err.writerFd, envFd]) closeSync(fd);
    }
    const output = Promise.all([forward(out.reader, 'stdout', spec), forward(err.reader, 'stderr', spec)]);
    const exited = endOf(child).then(async (code) => {
      await output;
      return { code };
    });
    const report = await readStartReport(child.stdio[4] as Readable);
    if (report.started && report.pid !== undefined) return new HostContainer(parts, child, report.pid, exited);
    child.kill('SIGKILL');
    const { code } = await exited;
    parts.cgroup?.remove();
    throw startError(report.error ?? `the container could not be set up (exit code ${code})`, parts.imageID);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.ended) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It just ended.
    }
  }

  async exec(request: ExecRequest, signal?: AbortSignal): Promise<ExecResult> {
    if (this.ended) throw new Error(`container ${this.id} is not running`);
    const { machine, spec, user, cgroup } = this.parts;
    const target = {
      outerPid: this.outer.pid as number,
      pid: this.pid,
      cgroups: cgroup?.folders ?? [],
      inner: this.parts.inner,
    };
    const words = execCommand(machine, spec, user, target, request.command);
    const [program = '', ...args] = request.tty ? inTerminal(words) : words;
    const envFd = environmentDescriptor(this.parts, request.tty ? { TERM: 'xterm' } : {});
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        detached: true,
        cwd: '/',
        env: { PATH: toolPath, LC_ALL: 'C', SHELL: machine.tools.sh },
        stdio: this.parts.stdio([request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', envFd, 'pipe']),
      });
    } finally {
      closeSync(envFd);
    }
    if (request.tty && request.sizes) void followSize(child, request.sizes).catch(() => undefined);
    const abort = () => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    forwardOutput(child.stdout, 'stdout', request.onOutput);
    forwardOutput(child.stderr, 'stderr', request.onOutput);
    if (request.stdin && child.stdin) request.stdin.pipe(child.stdin).on('error', () => undefined);
    const report = readStartReport(child.stdio[4] as Readable);
    const exitCode = await closeOf(child);
    signal?.removeEventListener('abort', abort);
    const { error } = await report;
    if (error !== undefined) throw startError(error, this.imageID);
    return { exitCode };
  }

  private finish(code: number): ContainerExit {
    this.ended = true;
    const oomKilled = code !== 0 && (this.parts.cgroup?.oomKilled() ?? false);
    this.parts.cgroup?.remove();
    return { exitCode: code, oomKilled, finishedAt: this.parts.clock.now() };
  }
}

/** In the words of kubelets, which users search for. */
function startError(message: string, imageID: string): ContainerStartError {
  return new ContainerStartError(
    'RunContainerError',
    `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${message}`,
    { imageID },
  );
}

/** The container's variables, in a file that has no name any more when this returns. */
function environmentDescriptor(
  { directory, env }: HostContainerParts,
  defaults: Readonly<Record<string, string>> = {},
): number {
  const path = join(directory, 'env');
  // Readable by the container's user, who opens it again; no other user can enter the folder.
  writeFileSync(path, environmentScript(new Map([...Object.entries(defaults), ...env])), { mode: 0o644 });
  const fd = openSync(path, 'r');
  unlinkSync(path);
  return fd;
}

function forward(reader: Socket, stream: 'stdout' | 'stderr', { output }: ContainerSpec): Promise<void> {
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

function codeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(128));
    child.once('exit', (code, signal) => resolve(codeOf(code, signal)));
  });
}

function closeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(128));
    child.once('close', (code, signal) => resolve(codeOf(code, signal)));
  });
}

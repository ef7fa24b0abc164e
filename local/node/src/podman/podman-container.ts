import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '@tektite/meta';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type {
  ContainerExit,
  ContainerSpec,
  ExecRequest,
  ExecResult,
  OutputStream,
  RunningContainer,
} from '../runtime/pod-runtime.ts';
import { forwardOutput } from '../runtime/forward-output.ts';
import { followSize } from '../runtime/terminal.ts';
import type { Podman } from './podman.ts';

export interface PodmanContainerParts {
  readonly podman: Podman;
  readonly clock: Clock;
  readonly spec: ContainerSpec;
  readonly imageID: string;
  readonly pidFile: string;
}

/** The exit code of the engine's command when the container never ran. */
const engineFailed = 125;

/** A container of the engine, with its output attached. */
export class PodmanContainer implements RunningContainer {
  readonly id: string;
  readonly imageID: string;
  readonly startedAt: number;
  readonly exited: Promise<ContainerExit>;
  readonly stdin?: NodeJS.WritableStream;
  private readonly parts: PodmanContainerParts;
  private ended = false;

  private constructor(parts: PodmanContainerParts, attached: ChildProcess, ended: Promise<number>) {
    this.parts = parts;
    this.id = parts.spec.id;
    this.imageID = parts.imageID;
    this.startedAt = parts.clock.now();
    if (attached.stdin) this.stdin = attached.stdin;
    this.exited = ended.then((code) => this.finish(code));
  }

  /** Starts a container that was created, and waits until its program runs. */
  static async start(parts: PodmanContainerParts): Promise<PodmanContainer> {
    const { podman, spec, pidFile } = parts;
    const appeared = appears(pidFile);
    const words = ['start', '--attach', ...(spec.stdin ? ['--interactive'] : []), '--sig-proxy=false', spec.id];
    const attached = podman.start(words, [spec.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
    const stderr = { text: '' };
    const held: [OutputStream, Buffer][] = [];
    let running = false;
    const take = (stream: OutputStream, from: Readable) =>
      from.on('data', (chunk: Buffer) => {
        if (stream === 'stderr') stderr.text = (stderr.text + chunk.toString()).slice(0, 4096);
        if (!running) held.push([stream, chunk]);
        else if (!spec.output.write(stream, chunk)) {
          from.pause();
          void spec.output.drained().finally(() => from.resume());
        }
      });
    take('stdout', attached.stdout as Readable);
    take('stderr', attached.stderr as Readable);
    const ended = new Promise<number>((resolve) => {
      attached.once('error', () => resolve(engineFailed));
      attached.once('close', (code) => resolve(code ?? engineFailed));
    });
    await Promise.race([appeared.seen, ended]);
    const started = appeared.close();
    if (!started && (await readFile(pidFile).catch(() => undefined)) === undefined) {
      await ended;
      throw startError(stderr.text);
    }
    running = true;
    for (const [stream, chunk] of held) spec.output.write(stream, chunk);
    return new PodmanContainer(parts, attached, ended);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) void this.parts.podman.run('kill', `--signal=${signal}`, this.id).catch(() => undefined);
  }

  async exec(request: ExecRequest, signal?: AbortSignal): Promise<ExecResult> {
    if (this.ended) throw new Error(`container ${this.id} is not running`);
    const { podman } = this.parts;
    const words = [
      'exec',
      ...(request.stdin ? ['--interactive'] : []),
      ...(request.tty ? ['--tty'] : []),
      this.id,
      ...request.command,
    ];
    const child = request.tty
      ? podman.startInTerminal(words)
      : podman.start(words, [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
    if (request.tty && request.sizes) void followSize(child, request.sizes).catch(() => undefined);
    const abort = () => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    let stderr = '';
    forwardOutput(child.stdout, 'stdout', request.onOutput);
    forwardOutput(child.stderr, 'stderr', (stream, chunk) => {
      if (stderr.length < 4096) stderr += Buffer.from(chunk).toString();
      return request.onOutput(stream, chunk);
    });
    if (request.stdin && child.stdin) request.stdin.pipe(child.stdin).on('error', () => undefined);
    const exitCode = await new Promise<number>((resolve) => {
      child.once('error', () => resolve(engineFailed));
      child.once('close', (code) => resolve(code ?? 137));
    });
    signal?.removeEventListener('abort', abort);
    if (exitCode >= engineFailed && exitCode <= 127 && stderr.startsWith('Error:')) throw startError(stderr);
    return { exitCode };
  }

  private async finish(code: number): Promise<ContainerExit> {
    this.ended = true;
    const finishedAt = this.parts.clock.now();
    const { podman, spec } = this.parts;
    const limited = code === 137 && spec.limits.memoryBytes !== undefined;
    const oomKilled =
      limited && (await podman.run('inspect', '--format={{.State.OOMKilled}}', this.id)).stdout.trim() === 'true';
    await podman.run('rm', '--force', '--time=0', this.id).catch(() => undefined);
    return { exitCode: code, oomKilled, finishedAt };
  }
}

function startError(stderr: string): ContainerStartError {
  const message = stderr.trim().replace(/^Error: (unable to start container \S+: )?/, '');
  return new ContainerStartError('RunContainerError', `failed to start container: ${message}`);
}

/** Notices when a file comes into being. `close` stops looking, and says whether it did. */
function appears(path: string): { seen: Promise<void>; close: () => boolean } {
  let found = false;
  let resolveSeen: () => void = () => undefined;
  const seen = new Promise<void>((resolve) => {
    resolveSeen = resolve;
  });
  const watcher = watch(dirname(path), (_, name) => {
    if (name !== basename(path)) return;
    found = true;
    resolveSeen();
  });
  return {
    seen,
    close: () => {
      watcher.close();
      return found;
    },
  };
}

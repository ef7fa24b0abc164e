import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { TerminalSize } from '../runtime/pod-runtime.ts';
import type { EncodedJob } from './sandbox-job.ts';

/** Why a sandbox did not start its program, in the words of engines. */
export class SandboxError extends Error {}

export interface SandboxRequest {
  readonly program: string;
  readonly mode: 'run' | 'exec' | 'hold';
  /** The user namespace, as native/sandbox/src/namespaces.h describes it. */
  readonly namespace: string;
  /** The folder that its processes belong to, by which a later process finds them. */
  readonly folder: string;
  readonly job: EncodedJob;
  readonly stdio: readonly ['ignore' | 'pipe', 'ignore' | 'pipe' | number, 'ignore' | 'pipe' | number];
}

const frameHeader = 8;
const maxFrame = 64 * 1024;
const failedExit = 128;

/**
 * A process of the sandbox program, which makes a container or enters one and waits for its program.
 *
 * Guarantees
 * - `started` settles once: with the PID of the program, as this machine counts, or with a {@link SandboxError}.
 * - `ended` resolves after it, when no process that it waits for is left. It never rejects.
 * - When this process dies, so does all that was started.
 */
export class SandboxProcess {
  readonly child: ChildProcess;
  readonly started: Promise<number>;
  /** The exit code; 128 and the signal where a signal ended it. */
  readonly ended: Promise<number>;
  private readonly control: Socket;

  constructor({ program, mode, namespace, folder, job, stdio }: SandboxRequest) {
    this.child = spawn(program, [mode, String(process.pid), namespace, folder], {
      // A separate session: the terminal's Ctrl-C is for this process.
      detached: true,
      cwd: '/',
      env: {},
      stdio: [...stdio, 'pipe', ...job.descriptors],
    });
    this.control = this.child.stdio[3] as unknown as Socket;
    this.ended = new Promise((resolve) => {
      this.child.once('error', () => resolve(failedExit));
      this.child.once('exit', (code, signal) => resolve(code ?? failedExit + (signal ? constants.signals[signal] : 0)));
    });
    this.started = this.readReports();
    this.started.catch(() => undefined);
    this.control.write(job.bytes);
  }

  /** To the program. Does nothing after its end. */
  signal(signal: NodeJS.Signals): void {
    this.send('K', [constants.signals[signal] & 0xffff, 0]);
  }

  resize({ rows, columns }: TerminalSize): void {
    this.send('R', [Math.trunc(rows) & 0xffff, Math.trunc(columns) & 0xffff]);
  }

  /** Gives the terminal of the program the sizes that come. Ends with them, or with the program. */
  async followSize(sizes: AsyncIterable<TerminalSize>): Promise<void> {
    for await (const size of sizes) {
      if (this.control.destroyed) return;
      this.resize(size);
    }
  }

  private send(kind: 'K' | 'R', [first, second]: readonly [number, number]): void {
    if (this.control.destroyed) return;
    const frame = Buffer.alloc(frameHeader + 4);
    frame.write(kind);
    frame.writeUInt32LE(4, 4);
    frame.writeUInt16LE(first, frameHeader);
    frame.writeUInt16LE(second, frameHeader + 2);
    this.control.write(frame);
  }

  private readReports(): Promise<number> {
    return new Promise((resolve, reject) => {
      let pending: Buffer = Buffer.alloc(0);
      this.control.on('data', (chunk: Buffer) => {
        pending = Buffer.concat([pending, chunk]);
        while (pending.length >= frameHeader) {
          const length = pending.readUInt32LE(4);
          if (length > maxFrame) return void this.control.destroy();
          if (pending.length < frameHeader + length) return;
          const content = pending.subarray(frameHeader, frameHeader + length);
          if (pending[0] === 'S'.charCodeAt(0) && length === 4) resolve(content.readUInt32LE(0));
          if (pending[0] === 'E'.charCodeAt(0)) reject(new SandboxError(content.toString()));
          pending = pending.subarray(frameHeader + length);
        }
      });
      // A process that ends before it has read all breaks the socket; its report has come by then.
      this.control.on('error', () => undefined);
      this.control.once('close', () => reject(new SandboxError('the process that makes the container has ended')));
      this.child.once('error', (error) => reject(new SandboxError(error.message)));
    });
  }
}

import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tektite/meta';
import type { ScriptOptions, ScriptOutcome } from './sandbox.ts';

const tailBytes = 4096;
/** Between being asked to end and being ended. */
const graceMs = 5000;

export interface ProcessPlace {
  readonly clock: Clock;
  /** Where scripts, logs and the lock are kept. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** From the path of the script to what is run. */
  command(scriptFile: string): readonly [string, ...string[]];
}

let counter = 0;

/**
 * Runs a script from a file, under a lock, with a log. `flock` keeps the lock as long as the script runs, also when the agent
 * is killed; daemons that the script starts do not get it.
 */
export async function runProcess(place: ProcessPlace, script: string, options: ScriptOptions): Promise<ScriptOutcome> {
  const { clock, folder } = place;
  await mkdir(join(folder, 'logs'), { recursive: true, mode: 0o700 });
  const name = `${options.name}-${process.pid}-${counter++}`;
  const file = join(folder, `${name}.sh`);
  await writeFile(file, script, { mode: 0o700 });
  const log = createWriteStream(join(folder, 'logs', `${options.name}.log`), { flags: 'a', mode: 0o600 });
  try {
    const [command, ...args] = place.command(file);
    const child = spawn('flock', ['-o', join(folder, 'lock'), command, ...args], {
      env: { ...place.environment, ...options.env } as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate process group, so that all of it can be killed.
      detached: true,
    });
    let tail = '';
    const take = (chunk: Buffer) => {
      log.write(chunk);
      tail = (tail + chunk.toString('utf8')).slice(-tailBytes);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    return await new Promise<ScriptOutcome>((resolve, reject) => {
      const kill = (signal: NodeJS.Signals) => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, signal);
        } catch {
          // It has already exited.
        }
      };
      let late: string | undefined;
      let killer: Disposable | undefined;
      const end = (why: string) => {
        late ??= why;
        kill('SIGTERM');
        killer ??= clock.setTimer(graceMs, () => kill('SIGKILL'));
      };
      const timer = clock.setTimer(options.timeoutMs, () =>
        end(`it took longer than ${options.timeoutMs / 1000} seconds`),
      );
      const abort = () => end('the agent is stopping');
      options.signal?.addEventListener('abort', abort, { once: true });
      const settle = () => {
        timer[Symbol.dispose]();
        killer?.[Symbol.dispose]();
        options.signal?.removeEventListener('abort', abort);
      };
      child.on('error', (error) => {
        settle();
        reject(error);
      });
      child.on('close', (code, signal) => {
        settle();
        const more = late ?? (signal ? `ended by ${signal}` : '');
        resolve({ exitCode: code ?? 255, tail: more === '' ? tail : `${tail}\n${more}` });
      });
    });
  } finally {
    log.end();
    await rm(file, { force: true });
  }
}

import { resolve } from 'node:path';
import { isAlive, type ProcessIdentity } from '@tektite/apiserver';
import { sleep, systemClock } from '@tektite/meta';
import { readDuration } from '../read-duration.ts';
import { processOn } from '../up-record.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface StopOptions {
  readonly dataDir: string;
  readonly timeout: string;
}

const intervalMs = 50;

/** `tektite stop`: stops the control plane of a data folder and waits until its process has ended. */
export async function stop(options: StopOptions): Promise<void> {
  const folder = resolve(options.dataDir);
  const timeoutMs = readDuration('--timeout', options.timeout);
  const running = processOn(folder);
  if (!running) {
    process.stdout.write(`No control plane runs on ${folder}.\n`);
    return;
  }
  try {
    process.kill(running.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM')
      throw new UserError(`process ${running.pid} on ${folder} belongs to another user, who can stop it`);
  }
  if (!(await hasEnded(running, timeoutMs)))
    throw new UserError(
      `process ${running.pid} on ${folder} has not ended in ${options.timeout}; --timeout waits longer, \`kill -9 ${running.pid}\` ends it at once and loses no acknowledged write`,
    );
  process.stdout.write(`Stopped the control plane on ${folder} (process ${running.pid}).\n`);
}

async function hasEnded(running: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const stopped = stopSignal();
  const interrupted = stopped.promise.then(() => {
    throw new UserError(`stopped waiting; process ${running.pid} has not ended yet`, 130);
  });
  try {
    const deadline = systemClock.monotonic() + timeoutMs;
    while (isAlive(running)) {
      if (systemClock.monotonic() > deadline) return false;
      await Promise.race([interrupted, sleep(systemClock, intervalMs)]);
    }
    return true;
  } finally {
    stopped.ignore();
  }
}

import { spawn } from 'node:child_process';

export interface GitOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** For `Authorization`, if the server wants one. */
  readonly authorization?: string;
  readonly input?: string;
}

/** Whom git may talk to. Not to files of this machine, and to no program that a URL names. */
const protocols = 'git:ssh:ftp:ftps:http:https';
/** More than any answer that is wanted here. */
const maxBytes = 16 * 1024 * 1024;
const maxErrorBytes = 16 * 1024;

/**
 * Runs the machine's git. There is no shell and no prompt, and credentials are neither in arguments nor in messages.
 * When the signal is aborted, git and its helpers are ended.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { directory, signal, authorization, input = '' } = options;
  signal.throwIfAborted();
  // Where git is redirected to, the header would go along.
  const config =
    authorization === undefined
      ? []
      : ['--config-env=http.extraHeader=GIT_AUTH_HEADER', '-c', 'http.followRedirects=false'];
  const child = spawn('git', ['-C', directory, ...config, ...args], {
    env: environment(authorization),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that helpers can be ended with it.
    detached: true,
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Already gone.
    }
  };
  signal.addEventListener('abort', kill, { once: true });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) kill();
    else output.push(chunk);
  });
  let received = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    // Servers say what they like there.
    if (received < maxErrorBytes) errors.push(chunk.subarray(0, maxErrorBytes - received));
    received += chunk.length;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    const code = await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, killed) => resolve(killed ? `signal: ${killed}` : `exit status ${status}`));
    });
    signal.throwIfAborted();
    if (code === 'exit status 0') return Buffer.concat(output);
    const said = Buffer.concat(errors).toString('utf8').trim();
    throw new Error(`git ${args[0]} error: ${withoutPasswords(said)}: ${code}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`git ${args[0]} error: : exec: "git": executable file not found in $PATH`, { cause: error });
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function environment(authorization: string | undefined): NodeJS.ProcessEnv {
  const { GIT_ASKPASS: _, SSH_ASKPASS: __, ...inherited } = process.env;
  return {
    ...inherited,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: 'false',
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_SSH_COMMAND: inherited.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes',
    ...(authorization === undefined ? {} : { GIT_AUTH_HEADER: `Authorization: ${authorization}` }),
  };
}

/** URLs with a password end up in messages and in the status of runs. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/((?:https?|ftps?|ssh|git):\/\/[^/@:\s']*):[^/@\s']*@/gi, '$1:***@');
}

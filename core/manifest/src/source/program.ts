import { execFile } from 'node:child_process';
import { ManifestError } from '../manifest-error.ts';

export interface ProgramOptions {
  readonly signal?: AbortSignal;
  /** The standard input of the program. */
  readonly input?: string;
}

/** Runs programs: kustomize and helm are such. Tests and hosts without processes bring their own. */
export interface ProgramRunner {
  /** The standard output of the program. Rejects with `PROGRAM_MISSING` when there is none of that name. */
  run(command: string, args: readonly string[], options?: ProgramOptions): Promise<string>;
}

const maxOutputBytes = 64 * 1024 * 1024;
const patienceMs = 120_000;

/** Programs on the PATH of this process. */
export const systemPrograms: ProgramRunner = {
  run: (command, args, { signal, input } = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        command,
        args,
        { maxBuffer: maxOutputBytes, timeout: patienceMs, encoding: 'utf8', ...(signal ? { signal } : {}) },
        (error, stdout, stderr) => {
          if (error) reject(failure(command, error, stderr));
          else resolve(stdout);
        },
      );
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    }),
};

function failure(command: string, error: Error, stderr: string): Error {
  const { code } = error as { code?: string | number };
  if (error.name === 'AbortError') return error;
  if (code === 'ENOENT')
    return new ManifestError('PROGRAM_MISSING', `there is no program named ${command} here; install it`, {
      cause: error,
    });
  const said = stderr.trim() || (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? 'it prints too much' : error.message);
  return new ManifestError('SOURCE', `${command}: ${said}`, { cause: error });
}

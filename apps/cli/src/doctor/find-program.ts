import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The search path of containers. */
const containerPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The path of a program of this machine, as a container would find it. */
export function findProgram(name: string, path: string = containerPath): string | undefined {
  const candidates = isAbsolute(name) ? [name] : path.split(delimiter).map((folder) => join(folder, name));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

/** Programs whose version is not printed by `--version`. */
const versionArguments: Readonly<Record<string, readonly string[]>> = {
  go: ['version'],
  java: ['-version'],
  kubectl: ['version', '--client'],
};

const patienceMs = 5000;

/**
 * The version that a program prints, such as `1.19.8`; `undefined` for one that prints none.
 * Temporary files of the program are deleted with it: even `podman --version` creates its run folders where the user has no
 * `XDG_RUNTIME_DIR`.
 */
export async function programVersion(name: string, file: string): Promise<string | undefined> {
  const temporary = mkdtempSync(join(tmpdir(), 'tektite-doctor-'));
  try {
    const { stdout, stderr } = await run(file, [...(versionArguments[name] ?? ['--version'])], {
      timeout: patienceMs,
      env: { ...process.env, TMPDIR: temporary },
    });
    return /(\d+(?:\.\d+)+)/.exec(stdout || stderr)?.[1];
  } catch {
    return undefined;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

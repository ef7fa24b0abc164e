import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { findNativeProgram, howToGetPrograms } from '@tektite/native';
import { isStoreError, StoreError, type StoreErrorCode } from '../store-error.ts';
import { ownSubordinateIds } from './subordinate-ids.ts';

const ownCodes: readonly string[] = ['UNSAFE_LAYER', 'TOO_LARGE', 'UNPACK_FAILED'] satisfies StoreErrorCode[];

/** Counts of an unpacked layer. */
export interface UnpackResult {
  readonly entries: number;
  readonly bytes: number;
  /** Device files, which are left out. */
  readonly devices: number;
  /** Files whose owner the user namespace does not have: they belong to its root. */
  readonly foreignOwners: number;
}

/**
 * Whose the files of layers are: those of the archive, where root unpacks; those of the archive as ids of a user namespace; or the user
 * who unpacks, whatever the archive says. Containers have to run with the same ids.
 */
export type LayerOwners = 'archive' | 'mapped' | 'user';

/** Runs `native/layers`, which writes and removes the files of layers. */
export class LayersProgram {
  private readonly path: string | undefined;
  /** This user may not make user namespaces. */
  private isPlain = false;

  readonly owners: LayerOwners;

  /** With `mapsIds`, the subordinate ids of /etc/subuid are used where the user has some. */
  constructor(path: string | undefined = findNativeProgram('layers'), mapsIds: boolean = false) {
    this.path = path;
    const isRoot = process.getuid?.() === 0;
    this.owners = isRoot ? 'archive' : mapsIds && ownSubordinateIds() ? 'mapped' : 'user';
  }

  /** Unpacks the archive that `feed` writes. A failure of the program counts before one of `feed`, whose reader it is. */
  async unpack(folder: string, maxEntries: number, feed: (input: Writable) => Promise<void>): Promise<UnpackResult> {
    const child = this.start('unpack', folder, [`--max-entries=${maxEntries}`]);
    const stdin = child.stdin as Writable;
    stdin.on('error', () => undefined);
    const [fed, ended] = await Promise.allSettled([
      feed(stdin).catch((error: unknown) => {
        child.kill('SIGKILL');
        throw error;
      }),
      outputOf(child),
    ]);
    if (ended.status === 'rejected' && isStoreError(ended.reason)) throw ended.reason;
    if (fed.status === 'rejected') throw fed.reason;
    if (ended.status === 'rejected') throw ended.reason;
    return JSON.parse(ended.value) as UnpackResult;
  }

  /** Removes a folder with files of any owner. */
  async remove(folder: string): Promise<void> {
    const child = this.start('remove', folder, []);
    child.stdin?.end();
    await outputOf(child);
  }

  /** Finds out whether this user may make user namespaces, in the empty folder that is given. */
  async probe(folder: string): Promise<void> {
    const empty = async (input: Writable) => void input.end();
    await this.unpack(folder, 1, empty).catch((error: unknown) => {
      if (!(error instanceof NoNamespaceError)) throw error;
      this.isPlain = true;
    });
  }

  private start(act: string, folder: string, options: readonly string[]): ChildProcess {
    if (this.path === undefined) throw new StoreError('PROGRAM_MISSING', programMissing);
    // Files of earlier layers may have ids that new ones do not get.
    const ids = this.owners === 'mapped' || act === 'remove' ? ownSubordinateIds() : undefined;
    const mapped = ids ? [`--users=${ids.users}`, `--groups=${ids.groups}`] : [];
    const words = [...options, ...(this.isPlain ? ['--plain'] : mapped)];
    return spawn(this.path, [act, ...words, folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  }
}

class NoNamespaceError extends Error {}

/** The program's output. Rejects with the error of its one line. */
function outputOf(child: ChildProcess): Promise<string> {
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      if (text[name].length < 10_000) text[name] += chunk;
    });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new StoreError('PROGRAM_MISSING', `the program that unpacks layers does not run: ${cause.message}`, { cause }),
      ),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text.stdout);
      else reject(errorOf(text.stderr.trim(), code ?? signal));
    });
  });
}

function errorOf(line: string, exit: number | string | null): Error {
  const space = line.indexOf(' ');
  const code = line.slice(0, Math.max(space, 0));
  if (ownCodes.includes(code)) return new StoreError(code as StoreErrorCode, line.slice(space + 1));
  if (code === 'NO_NAMESPACE') return new NoNamespaceError(line.slice(space + 1));
  return new Error(`the program that unpacks layers ended with ${exit}${line === '' ? '' : `: ${line}`}`);
}

const programMissing = `The program that unpacks layers is not compiled for this machine. ${howToGetPrograms}.`;

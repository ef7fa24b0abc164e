import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchUrl } from '@tektite/client';
import { quoteGo, type Random, TerminalError } from '@tektite/meta';
import { runGit } from './run-git.ts';

export interface CloneOptions {
  readonly url: string;
  readonly revision: string;
  readonly path: string;
  readonly authorization?: string;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export interface ClonedFile {
  readonly data: Buffer;
  /** The full name of the commit. */
  readonly commit: string;
}

/**
 * One file of a repository at a revision: a branch, a tag, a commit or any other name of one. Only that revision is fetched, and
 * nothing is checked out: no filter, hook or link of the repository has an effect on this machine.
 */
export async function cloneFile(options: CloneOptions): Promise<ClonedFile> {
  const directory = await makeDirectory(options);
  try {
    return await readFile(directory, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Named as upstream names it; users see it in messages. */
async function makeDirectory({ url, random }: CloneOptions): Promise<string> {
  const name = (url.split('/').at(-1) ?? '').replaceAll(/[^\w.-]/g, '_').slice(-64);
  for (;;) {
    const number = Buffer.from(random.bytes(4)).readUInt32BE(0);
    const directory = join(tmpdir(), `${name}-${number}`);
    try {
      await mkdir(directory, { mode: 0o700 });
      return directory;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function readFile(directory: string, options: CloneOptions): Promise<ClonedFile> {
  const { revision, path, authorization, signal } = options;
  const run = (args: readonly string[], input = '') =>
    runGit(args, { directory, signal, input, ...(authorization === undefined ? {} : { authorization }) });
  try {
    await run(['clone', '--depth=1', '--no-checkout', '--', await locate(options), directory]);
  } catch (error) {
    signal.throwIfAborted();
    const { message } = error as Error;
    const why = message.includes('could not read Username') ? 'clone error: authentication required' : message;
    throw new Error(`error resolving repository: ${why}`, { cause: error });
  }
  await run(['fetch', 'origin', '--depth=1', '--', revision]);
  const commit = (await run(['rev-list', '-n1', 'FETCH_HEAD'])).toString('utf8').trim();
  const answer = await run(['cat-file', '--batch', '--follow-symlinks'], `${commit}:${path}\n`);
  try {
    return { commit, data: contentOf(answer, path) };
  } catch (cause) {
    throw new TerminalError(`error opening file ${quoteGo(path)}: ${(cause as Error).message}`, { cause });
  }
}

const refs = '/info/refs?service=git-upload-pack';

/**
 * Where the repository is now, for git that follows no redirects because it would take credentials along. Only the server that
 * they are for is believed.
 */
async function locate({ url, authorization, signal }: CloneOptions): Promise<string> {
  if (authorization === undefined || !/^https?:/i.test(url)) return url;
  let found: string;
  try {
    const response = await fetchUrl(url + refs, { signal, headers: { Authorization: authorization } });
    await response.body?.cancel();
    found = response.url;
  } catch {
    // Git may know ways that we do not, and can say best what is wrong.
    return url;
  }
  if (!found.endsWith(refs) || found === url + refs) return url;
  const { origin } = new URL(found);
  if (origin !== new URL(url).origin)
    throw new Error(`it redirects to ${origin}, where the token must not be sent; name that address instead`);
  return found.slice(0, -refs.length);
}

/** `ID TYPE SIZE`, a line's end, and the content; or why there is none. Links are followed as far as they stay inside. */
function contentOf(answer: Buffer, path: string): Buffer {
  const end = answer.indexOf('\n');
  const line = answer.subarray(0, end).toString('utf8');
  const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(line) ?? [];
  if (type === 'blob') return answer.subarray(end + 1, end + 1 + Number(size));
  if (type === 'tree') throw new Error(`read ${path}: is a directory`);
  if (line.startsWith('symlink '))
    throw new Error(
      `path ${quoteGo(path)} attempts to escape the repository directory (possible path traversal attack)`,
    );
  throw new Error('file does not exist');
}

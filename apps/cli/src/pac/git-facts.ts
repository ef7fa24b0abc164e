import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The local repository, as Pipelines-as-Code would see it after a push. */
export interface GitFacts {
  readonly root: string;
  readonly revision: string;
  readonly title: string;
  readonly sender: string;
  /** Without a branch, that of `HEAD`. */
  readonly branch: string;
  readonly defaultBranch: string;
  /** `https://…`, or the folder itself where there is no remote. */
  readonly url: string;
  /** Files that differ from the default branch, or else from the commit before. */
  readonly changedFiles: readonly string[];
  readonly hasUncommitted: boolean;
}

/** Reads the repository that a folder is in; nothing where there is none, or no commit. */
export async function readGitFacts(folder: string): Promise<GitFacts | undefined> {
  const git = async (...args: readonly string[]) => {
    try {
      return (await run('git', ['-C', folder, ...args], { maxBuffer: 16 * 1024 * 1024 })).stdout.trim();
    } catch {
      return '';
    }
  };
  const [root, revision] = await Promise.all([git('rev-parse', '--show-toplevel'), git('rev-parse', 'HEAD')]);
  if (root === '' || revision === '') return undefined;
  const [branch, head, origin, title, sender, status] = await Promise.all([
    git('branch', '--show-current'),
    git('symbolic-ref', '--short', 'refs/remotes/origin/HEAD'),
    git('remote', 'get-url', 'origin'),
    git('log', '-1', '--format=%s'),
    git('log', '-1', '--format=%an'),
    git('status', '--porcelain'),
  ]);
  const defaultBranch = head.replace(/^origin\//, '') || (await existingBranch(git));
  const base = branch === defaultBranch || branch === '' ? `${revision}~1` : defaultBranch;
  const changed =
    (await git('diff', '--name-only', base, revision)) ||
    (await git('ls-tree', '-r', '--name-only', '--full-tree', revision));
  return {
    root,
    revision,
    title,
    sender,
    branch: branch || revision,
    defaultBranch,
    url: origin === '' ? `file://${root}` : webAddress(origin),
    changedFiles: changed.split('\n').filter((line) => line !== ''),
    hasUncommitted: status !== '',
  };
}

async function existingBranch(git: (...args: readonly string[]) => Promise<string>): Promise<string> {
  for (const name of ['main', 'master']) if (await git('rev-parse', '--verify', '--quiet', name)) return name;
  return 'main';
}

/** `git@host:owner/name.git` as `https://host/owner/name`; paths stay as they are. */
export function webAddress(remote: string): string {
  const [, host, path] = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)(?::\d+)?[:/](.+)$/.exec(remote) ?? [];
  const address = host && path ? `https://${host}/${path}` : remote.replace(/^(https?:\/\/)[^@/]*@/, '$1');
  return address.replace(/\.git\/?$/, '');
}

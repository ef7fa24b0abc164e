import type { GitFacts } from './git-facts.ts';

/** The event that the local repository stands for. */
export interface PacEvent {
  readonly type: 'push' | 'pull_request';
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly git: GitFacts;
}

/** A push on the default branch, a pull request on all others; unless one is named. */
export function eventOf(git: GitFacts, named: PacEvent['type'] | undefined): PacEvent {
  const type = named ?? (git.branch === git.defaultBranch ? 'push' : 'pull_request');
  return { type, git, sourceBranch: git.branch, targetBranch: type === 'push' ? git.branch : git.defaultBranch };
}

/** The name of the Secret that Pipelines-as-Code makes for cloning; here it is empty. */
export const authSecret = 'pac-git-auth';

/** Values of `{{ … }}`. */
export function variablesOf(
  { type, git, sourceBranch, targetBranch }: PacEvent,
  namespace: string,
): ReadonlyMap<string, string> {
  const [owner = '', name = ''] = git.url.split('/').slice(-2);
  return new Map([
    ['revision', git.revision],
    ['repo_url', git.url],
    ['source_url', git.url],
    ['repo_owner', owner.toLowerCase()],
    ['repo_name', name.toLowerCase()],
    ['source_branch', sourceBranch],
    ['target_branch', targetBranch],
    ['target_namespace', namespace],
    ['sender', git.sender],
    ['event', type],
    ['event_type', type],
    ['event_title', git.title],
    ['git_auth_secret', authSecret],
    ['pull_request_number', type === 'pull_request' ? '1' : ''],
    ['trigger_comment', ''],
    ['git_tag', ''],
  ]);
}

/** A text with its `{{ variables }}` filled in, and the names of those that have no value here. */
export function fillVariables(
  text: string,
  values: ReadonlyMap<string, string>,
): { readonly text: string; readonly unknown: readonly string[] } {
  const unknown = new Set<string>();
  const filled = text.replaceAll(/\{\{\s*([A-Za-z][^{}]*?)\s*\}\}/g, (whole, name: string) => {
    const value = values.get(name);
    if (value === undefined) unknown.add(name);
    return value ?? whole;
  });
  return { text: filled, unknown: [...unknown] };
}

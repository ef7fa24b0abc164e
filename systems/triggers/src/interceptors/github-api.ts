import { fetchUrl } from '@tektite/client';
import type { PullRequest } from './github-payload.ts';

/** Sends a GET to GitHub. Replaced where tests stand in for it. */
export type GitHubFetch = (url: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

type Repository = Pick<PullRequest, 'owner' | 'repository'>;

const publicApi = 'https://api.github.com/';
const timeoutMs = 3000;
/** Pull requests have at most 3,000 files. */
const maxPages = 30;

export const gitHubFetch: GitHubFetch = (url, headers) =>
  fetchUrl(url, { headers, signal: AbortSignal.timeout(timeoutMs) });

/** The requests that the GitHub interceptor sends to GitHub's API. */
export class GitHubApi {
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly fetch: GitHubFetch;

  /** `host` is that of a GitHub Enterprise Server; empty for the public one. */
  constructor(host: string, token: string, fetch: GitHubFetch) {
    if (host !== '' && !/^[A-Za-z0-9.-]+(:\d+)?$/.test(host)) throw new Error(`invalid host ${JSON.stringify(host)}`);
    this.base = host === '' ? publicApi : `https://${host}/api/v3/`;
    this.headers = {
      accept: 'application/vnd.github+json',
      'user-agent': 'tektite',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    };
    this.fetch = fetch;
  }

  /** The names of the files that a pull request changes. */
  async changedFiles(pull: PullRequest): Promise<readonly string[]> {
    const files: string[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const path = `${repositoryPath(pull)}/pulls/${pull.number}/files?per_page=100&page=${page}`;
      const response = await this.get(path);
      const found = (await response.json()) as readonly { readonly filename: string }[];
      files.push(...found.map(({ filename }) => filename));
      if (!(response.headers.get('link') ?? '').includes('rel="next"')) break;
    }
    return files;
  }

  async isPublicMember(organization: string, user: string): Promise<boolean> {
    const response = await this.get(`orgs/${encodeURIComponent(organization)}/public_members`, [404]);
    return response.ok && hasLogin(await response.json(), user);
  }

  async isCollaborator(repository: Repository, user: string): Promise<boolean> {
    const response = await this.get(`${repositoryPath(repository)}/collaborators`);
    return hasLogin(await response.json(), user);
  }

  /** The text of a file; `undefined` when there is none. */
  async fileText(repository: Repository, path: string): Promise<string | undefined> {
    const response = await this.get(`${repositoryPath(repository)}/contents/${path}`, [404]);
    if (!response.ok) return undefined;
    const file = (await response.json()) as { readonly content?: string } | readonly unknown[];
    if (Array.isArray(file)) throw new Error(`referenced file inside the Github Repository ${path} is a directory`);
    return Buffer.from((file as { readonly content?: string }).content ?? '', 'base64').toString();
  }

  private async get(path: string, expected: readonly number[] = []): Promise<Response> {
    const url = this.base + path;
    const response = await this.fetch(url, this.headers);
    if (response.ok || expected.includes(response.status)) return response;
    const answer = (await response.json().catch(() => ({}))) as { readonly message?: string };
    throw new Error(`GET ${url}: ${response.status} ${answer.message ?? ''} []`);
  }
}

function repositoryPath({ owner, repository }: Repository): string {
  return `repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`;
}

function hasLogin(users: unknown, user: string): boolean {
  return Array.isArray(users) && users.some((each: { readonly login?: string }) => each.login === user);
}

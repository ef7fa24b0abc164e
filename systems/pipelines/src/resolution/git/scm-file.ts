import { fetchUrl, readBody } from '@tektite/client';
import { type Repository, type ScmFile, type ScmProvider, scmProviders } from './scm-provider.ts';

/** As much as a file may be in an answer, encoded. */
const maxBytes = 8 * 1024 * 1024;

export interface ScmRequest extends Repository {
  /** `github`, `gitlab`, ... */
  readonly type: string;
  /** Empty: the public one of that type. */
  readonly server: string;
  readonly token: string;
  readonly path: string;
  readonly revision: string;
  readonly signal: AbortSignal;
}

export interface FoundFile {
  readonly data: Buffer;
  readonly path: string;
  readonly commit: string;
  readonly cloneUrl: string;
}

/** One file of a repository by the API of its server, with the commit that the revision is now. */
export async function scmFile(request: ScmRequest): Promise<FoundFile> {
  const { org, repo, path, revision } = request;
  const { provider, api } = connect(request);
  const ask = (below: string) => askServer(api + below, provider.headers(request.token), request.signal);
  const file = await ask(provider.filePath(request, path, revision))
    .then((body) => (provider.readFile ? provider.readFile(parse(body)) : ({ data: body } satisfies ScmFile)))
    .catch(explained("couldn't fetch resource content"));
  if (file.data.length === 0) throw new Error(`no content for resource in ${org}/${repo} ${path}`);
  const commit = await ask(provider.commitPath(request, revision))
    .then((body) => provider.readCommit(parse(body)))
    .catch(explained(`couldn't fetch the commit sha for the ref ${revision} in the repo`));
  const cloneUrl = await ask(provider.repositoryPath(request))
    .then((body) => provider.readCloneUrl(parse(body)))
    .catch(explained("couldn't fetch repository"));
  return { data: file.data, path: file.path ?? path, commit: commit ?? '', cloneUrl: cloneUrl ?? '' };
}

function connect({ type, server }: ScmRequest): { provider: ScmProvider; api: string } {
  const provider = scmProviders.get(type.toLowerCase());
  if (!provider) throw new Error(`failed to create SCM client: Unsupported $GIT_KIND value: ${type}`);
  const address = server || provider.server;
  if (address === '') throw new Error('failed to create SCM client: no server URL provided');
  return { provider, api: provider.api(address) };
}

async function askServer(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Buffer> {
  const response = await fetchUrl(url, { signal, headers: { ...headers, Accept: 'application/json, */*' } });
  const body = await readBody(response, maxBytes);
  if (response.ok) return body;
  // Servers quote nothing of the request in these.
  throw new Error(response.status === 404 ? 'Not Found' : `${response.status} ${response.statusText}`.trim());
}

function parse(body: Buffer): unknown {
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('unexpected answer');
  return value;
}

function explained(what: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  };
}

import { encodeComponent } from '../encode-component.ts';
import { trimSlashes } from '../trim-slashes.ts';

/** How a server with repositories is asked, by the kind of server. */
export interface ScmProvider {
  /** The default server. Empty: it is required. */
  readonly server: string;
  /** From the address of the server to that of its API. */
  api(server: string): string;
  headers(token: string): Readonly<Record<string, string>>;
  /** Below the API. Everything in it is encoded: it comes from users. */
  filePath(repository: Repository, path: string, revision: string): string;
  /** The file in an answer; without this function, the answer is the file. */
  readFile?(answer: unknown): ScmFile;
  commitPath(repository: Repository, revision: string): string;
  readCommit(answer: unknown): string | undefined;
  repositoryPath(repository: Repository): string;
  readCloneUrl(answer: unknown): string | undefined;
}

export interface Repository {
  readonly org: string;
  readonly repo: string;
}

export interface ScmFile {
  readonly data: Buffer;
  readonly path?: string;
}

type Json = Readonly<Record<string, unknown>>;

const encode = encodeComponent;
/** The parts of a path, each encoded; none of them leads upwards. */
const encodePath = (path: string) => path.split('/').map(encode).join('/');
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

function base64File(answer: unknown, pathField: string): ScmFile {
  const { content, [pathField]: path } = answer as Json;
  const file = { data: Buffer.from(text(content) ?? '', 'base64') };
  return typeof path === 'string' ? { ...file, path } : file;
}

/** The address by which a repository is cloned over HTTP, where a server names several. */
function cloneLink(answer: unknown): string | undefined {
  const { links } = answer as { links?: { clone?: readonly { name?: string; href?: string }[] } };
  return links?.clone?.find(({ name = '' }) => name.startsWith('http'))?.href;
}

const github: ScmProvider = {
  server: 'https://github.com',
  api: (server) =>
    trimSlashes(server) === 'https://github.com' ? 'https://api.github.com' : `${trimSlashes(server)}/api/v3`,
  headers: bearer,
  filePath: ({ org, repo }, path, revision) =>
    `/repos/${encode(org)}/${encode(repo)}/contents/${encodePath(path)}?ref=${encode(revision)}`,
  readFile: (answer) => base64File(answer, 'path'),
  commitPath: ({ org, repo }, revision) => `/repos/${encode(org)}/${encode(repo)}/commits/${encode(revision)}`,
  readCommit: (answer) => text((answer as Json).sha),
  repositoryPath: ({ org, repo }) => `/repos/${encode(org)}/${encode(repo)}`,
  readCloneUrl: (answer) => text((answer as Json).clone_url),
};

const gitlabProject = ({ org, repo }: Repository) => `/projects/${encode(`${org}/${repo}`)}`;

const gitlab: ScmProvider = {
  server: 'https://gitlab.com',
  api: (server) => `${trimSlashes(server)}/api/v4`,
  headers: (token) => ({ 'PRIVATE-TOKEN': token }),
  filePath: (repository, path, revision) =>
    `${gitlabProject(repository)}/repository/files/${encode(path)}?ref=${encode(revision)}`,
  readFile: (answer) => base64File(answer, 'file_path'),
  commitPath: (repository, revision) => `${gitlabProject(repository)}/repository/commits/${encode(revision)}`,
  readCommit: (answer) => text((answer as Json).id),
  repositoryPath: gitlabProject,
  readCloneUrl: (answer) => text((answer as Json).http_url_to_repo),
};

const gitea: ScmProvider = {
  ...github,
  server: '',
  api: (server) => `${trimSlashes(server)}/api/v1`,
  headers: (token) => ({ Authorization: `token ${token}` }),
  commitPath: ({ org, repo }, revision) => `/repos/${encode(org)}/${encode(repo)}/git/commits/${encode(revision)}`,
};

const cloudPath = ({ org, repo }: Repository) => `/repositories/${encode(org)}/${encode(repo)}`;

const bitbucketCloud: ScmProvider = {
  server: 'https://bitbucket.org',
  api: (server) =>
    trimSlashes(server) === 'https://bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${trimSlashes(server)}/2.0`,
  headers: bearer,
  filePath: (repository, path, revision) => `${cloudPath(repository)}/src/${encode(revision)}/${encodePath(path)}`,
  commitPath: (repository, revision) => `${cloudPath(repository)}/commit/${encode(revision)}`,
  readCommit: (answer) => text((answer as Json).hash),
  repositoryPath: cloudPath,
  readCloneUrl: cloneLink,
};

const serverPath = ({ org, repo }: Repository) => `/projects/${encode(org)}/repos/${encode(repo)}`;

const bitbucketServer: ScmProvider = {
  server: '',
  api: (server) => `${trimSlashes(server)}/rest/api/1.0`,
  headers: bearer,
  filePath: (repository, path, revision) => `${serverPath(repository)}/raw/${encodePath(path)}?at=${encode(revision)}`,
  commitPath: (repository, revision) => `${serverPath(repository)}/commits/${encode(revision)}`,
  readCommit: (answer) => text((answer as Json).id),
  repositoryPath: serverPath,
  readCloneUrl: cloneLink,
};

/** By the names that users give them. A Map: the names come from users. */
export const scmProviders: ReadonlyMap<string, ScmProvider> = new Map([
  ['github', github],
  ['gitlab', gitlab],
  ['gitea', gitea],
  ['bitbucketcloud', bitbucketCloud],
  ['bitbucket', bitbucketCloud],
  ['bitbucketserver', bitbucketServer],
  ['stash', bitbucketServer],
]);

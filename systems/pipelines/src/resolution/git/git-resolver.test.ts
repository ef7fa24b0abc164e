import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResolverBench, taskText } from '../test-support.ts';
import { GitHttpServer, GitRepositories } from './test-support.ts';

let bench: ResolverBench;
let repositories: GitRepositories;
let server: GitHttpServer;
let commit: string;
const token = 'very+secret/token';

beforeAll(async () => {
  repositories = new GitRepositories();
  const links = { 'link.yaml': 'tasks/task.yaml', 'escape.yaml': '/etc/passwd', 'up.yaml': '../../x' };
  commit = repositories.create('public', { 'tasks/task.yaml': taskText, 'with space.yaml': taskText }, links);
  repositories.create('private', { 'task.yaml': taskText });
  repositories.create('me@here', { 'task.yaml': taskText });
  const authorization = `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;
  [bench, server] = await Promise.all([ResolverBench.start(), GitHttpServer.start(repositories.folder, authorization)]);
  await bench.configure('git-resolver-config', { 'backoff-steps': '1' });
});
afterAll(async () => {
  server.stop();
  repositories[Symbol.dispose]();
  await bench.stop();
});

const getting = (message: string) => `error getting "Git" "default/REQUEST": ${message}`;
const invalid = (message: string) => `invalid resource request "default/REQUEST": ${message}`;

describe('a clone', () => {
  it.each(['main', 'v1', 'refs/heads/main', 'COMMIT'])('brings a file at %s, with the commit', async (revision) => {
    const url = `${server.origin}/public`;
    const params = { url, pathInRepo: '/tasks/task.yaml', revision: revision.replace('COMMIT', commit) };
    const { text, status, message } = await bench.ask('git', params);
    expect(message).toBe('');
    expect(text).toBe(taskText);
    expect(status.refSource).toEqual({ uri: `git+${url}`, digest: { sha1: commit }, entryPoint: 'tasks/task.yaml' });
    expect(status.annotations).toMatchObject({
      'resolution.tekton.dev/revision': commit,
      'resolution.tekton.dev/path': 'tasks/task.yaml',
      'resolution.tekton.dev/url': url,
      'resolution.tekton.dev/content-type': 'application/x-yaml',
    });
    expect(status.annotations?.['resolution.tekton.dev/cached']).toBe(revision === 'COMMIT' ? 'true' : undefined);
  });

  it.each(['link.yaml', 'with space.yaml'])('brings %s', async (pathInRepo) => {
    expect((await bench.ask('git', { url: `${server.origin}/public`, pathInRepo })).text).toBe(taskText);
  });

  it('logs in with a token from a Secret of the namespace, which is never printed', async () => {
    await bench.createSecret('git', { token });
    const url = `${server.origin}/private`;
    const params = { url, pathInRepo: 'task.yaml' };
    expect((await bench.ask('git', params)).message).toBe(
      getting('error resolving repository: clone error: authentication required'),
    );
    const answer = await bench.ask('git', { ...params, gitToken: 'git' });
    expect(answer.text).toBe(taskText);
    expect(JSON.stringify(answer.status)).not.toContain(token);
    expect((await bench.ask('git', { ...params, gitToken: 'git', gitTokenKey: 'x' })).message).toBe(
      getting('cannot get API token, key x not found in secret git in namespace default'),
    );
  });

  it('takes a token along where the server redirects to itself, and to no other server', async () => {
    await bench.createSecret('moved', { token });
    let stolen: string | undefined;
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      stolen ??= request.headers.authorization;
      response.end();
    };
    const elsewhere = createServer(listener);
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const params = { pathInRepo: 'task.yaml', gitToken: 'moved' };
    expect((await bench.ask('git', { ...params, url: `${server.origin}/moved/private` })).text).toBe(taskText);
    const away = `${server.origin}/moved-to-${port}/private`;
    expect((await bench.ask('git', { ...params, url: away })).message).toContain('the token must not be sent');
    expect(stolen).toBeUndefined();
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  it('keeps passwords in URLs out of what others see', async () => {
    const url = `${server.origin.replace('://', '://me:hidden@')}/public`;
    const { status } = await bench.ask('git', { url, pathInRepo: 'tasks/task.yaml' });
    expect(status.refSource?.uri).toContain('://me:***@');
    const { message } = await bench.ask('git', { url: `${url}-none`, pathInRepo: 'tasks/task.yaml' });
    expect(message).toContain('not found');
    expect(message).not.toContain('hidden');
  });

  it.each([
    ['a file that is not there', { pathInRepo: 'none.yaml' }, 'error opening file "none.yaml": file does not exist'],
    [
      'a link that leads out of the repository',
      { pathInRepo: 'escape.yaml' },
      'error opening file "escape.yaml": path "escape.yaml" attempts to escape the repository directory (possible path traversal attack)',
    ],
    [
      'a link that leads above the repository',
      { pathInRepo: 'up.yaml' },
      'error opening file "up.yaml": path "up.yaml" attempts to escape the repository directory (possible path traversal attack)',
    ],
    ['a folder', { pathInRepo: 'tasks' }, 'error opening file "tasks": read tasks: is a directory'],
    [
      'a revision that is not there',
      { pathInRepo: 'link.yaml', revision: 'none' },
      "git fetch error: fatal: couldn't find remote ref none: exit status 128",
    ],
  ])('of %s fails', async (_title, params, message) => {
    expect((await bench.ask('git', { url: `${server.origin}/public`, ...params })).message).toBe(getting(message));
  });

  it('of a file that no request has room for fails', async () => {
    repositories.create('large', { 'task.yaml': taskText + '#'.repeat(3_000_000) });
    const { message } = await bench.ask('git', { url: `${server.origin}/large`, pathInRepo: 'task.yaml' });
    expect(message).toContain('Request entity too large');
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(tmpdir()).filter((name) => /^(?:public|private|public-none)-\d+$/.test(name))).toEqual([]);
  });
});

describe('a request', () => {
  const url = 'https://example.com/x.git';
  it.each([
    [
      'a path upwards',
      { url, pathInRepo: 'a/../../b' },
      'invalid path "a/../../b": must not contain \'..\' components',
    ],
    [
      'an option as the revision',
      { url, pathInRepo: 'x', revision: '--upload-pack=id' },
      'invalid revision "--upload-pack=id": must not begin with \'-\'',
    ],
    [
      'an option as the URL',
      { url: '--upload-pack=id', pathInRepo: 'x' },
      'invalid git repository url: --upload-pack=id',
    ],
    ['a file of this machine', { url: 'file:///etc', pathInRepo: 'x' }, 'invalid git repository url: file:///etc'],
    ['no path', { url }, 'missing required git resolver params: pathInRepo'],
    ['two places', { url, repo: 'x', pathInRepo: 'x' }, "cannot specify both 'url' and 'repo'"],
    ['a repository of nobody', { repo: 'x', pathInRepo: 'x' }, "'org' is required when 'repo' is specified"],
    [
      'settings that are not there',
      { url, configKey: 'x', pathInRepo: 'x' },
      'no git resolver configuration found for configKey x',
    ],
  ])('with %s is refused', async (_title, params, message) => {
    expect((await bench.ask('git', params)).message).toBe(invalid(message));
  });

  it.each([
    ['a folder of this machine', 'FOLDER/me@here', "transport 'file' not allowed"],
    ['a program', 'ext::sh -c id me@here', "transport 'ext' not allowed"],
  ])('for %s that looks like an address is refused by git', async (_title, address, message) => {
    const url = address.replace('FOLDER', repositories.folder);
    expect((await bench.ask('git', { url, pathInRepo: 'task.yaml' })).message).toContain(message);
  });
});

describe('the API of a server', () => {
  let api: Server;
  let origin: string;
  const seen: string[] = [];
  const file = { content: Buffer.from(taskText).toString('base64') };
  const clone = {
    links: {
      clone: [
        { name: 'ssh', href: 'x' },
        { name: 'https', href: 'https://clone' },
      ],
    },
  };
  const answers: Readonly<Record<string, unknown>> = {
    '/api/v3/repos/o/r/contents/a/t.yaml?ref=main': { ...file, path: 'a/t.yaml' },
    '/api/v3/repos/o/r/commits/main': { sha: 'abc' },
    '/api/v3/repos/o/r': { clone_url: 'https://clone' },
    '/api/v4/projects/o%2Fr/repository/files/a%2Ft.yaml?ref=main': { ...file, file_path: 'a/t.yaml' },
    '/api/v4/projects/o%2Fr/repository/commits/main': { id: 'abc' },
    '/api/v4/projects/o%2Fr': { http_url_to_repo: 'https://clone' },
    '/api/v1/repos/o/r/contents/a/t.yaml?ref=main': { ...file, path: 'a/t.yaml' },
    '/api/v1/repos/o/r/git/commits/main': { sha: 'abc' },
    '/api/v1/repos/o/r': { clone_url: 'https://clone' },
    '/2.0/repositories/o/r/src/main/a/t.yaml': taskText,
    '/2.0/repositories/o/r/commit/main': { hash: 'abc' },
    '/2.0/repositories/o/r': clone,
    '/rest/api/1.0/projects/o/repos/r/raw/a/t.yaml?at=main': taskText,
    '/rest/api/1.0/projects/o/repos/r/commits/main': { id: 'abc' },
    '/rest/api/1.0/projects/o/repos/r': clone,
  };

  beforeAll(async () => {
    api = createServer((request, response) => {
      const { url = '', headers } = request;
      seen.push(headers.authorization ?? String(headers['private-token']));
      const answer = Object.hasOwn(answers, url) ? answers[url] : undefined;
      if (answer === undefined) response.writeHead(404).end('{}');
      else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => {
      api.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    await bench.createSecret('api', { token: 'T' });
  });
  afterAll(() => void api.close());

  const params = () => ({
    org: 'o',
    repo: 'r',
    pathInRepo: 'a/t.yaml',
    revision: 'main',
    serverURL: origin,
    token: 'api',
  });

  it.each([
    ['github', 'Bearer T'],
    ['gitlab', 'T'],
    ['gitea', 'token T'],
    ['bitbucketcloud', 'Bearer T'],
    ['bitbucketserver', 'Bearer T'],
  ])('of %s gives a file', async (scmType, authorization) => {
    const { text, status, message } = await bench.ask('git', { ...params(), scmType });
    expect(message).toBe('');
    expect(text).toBe(taskText);
    expect(status.refSource).toEqual({ uri: 'git+https://clone', digest: { sha1: 'abc' }, entryPoint: 'a/t.yaml' });
    expect(status.annotations).toMatchObject({
      'resolution.tekton.dev/org': 'o',
      'resolution.tekton.dev/repo': 'r',
    });
    expect(seen.at(-1)).toBe(authorization);
  });

  it.each([
    ['a file that is not there', { pathInRepo: 'none' }, "couldn't fetch resource content: Not Found"],
    ['an unknown kind', { scmType: 'svn' }, 'failed to create SCM client: Unsupported $GIT_KIND value: svn'],
    ['an owner that leads elsewhere', { org: '..' }, 'invalid path component ".."'],
  ])('fails for %s', async (_title, changed, message) => {
    expect((await bench.ask('git', { ...params(), ...changed })).message).toBe(getting(message));
  });

  it('does not get the token of the settings, if the request names the server', async () => {
    const { token: _, ...anonymous } = params();
    expect((await bench.ask('git', anonymous)).message).toBe(
      getting(
        `custom serverURL "${origin}" requires a token parameter; the system token cannot be sent to a non-default server URL`,
      ),
    );
  });

  it('gets the token of the settings, if they name the server', async () => {
    await bench.configure('git-resolver-config', {
      'own.server-url': origin,
      'own.scm-type': 'gitea',
      'own.api-token-secret-name': 'api',
      'own.api-token-secret-key': 'token',
      'own.api-token-secret-namespace': 'default',
      'own.default-org': 'o',
      'own.default-revision': 'main',
    });
    const { text } = await bench.ask('git', { repo: 'r', pathInRepo: 'a/t.yaml', configKey: 'own' });
    expect(text).toBe(taskText);
  });
});

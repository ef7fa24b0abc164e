import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const identity = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Bare repositories in a folder, as a server has them. */
export class GitRepositories implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'git-repositories-'));

  /** Makes a repository with one commit on `main`, and returns the commit's name. */
  create(name: string, files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): string {
    const work = join(this.folder, `${name}.work`);
    const place = (path: string) => {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      return join(work, path);
    };
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: work, env: { ...process.env, ...identity }, encoding: 'utf8', stdio: 'pipe' });
    mkdirSync(work);
    git('init', '--quiet', '--initial-branch=main');
    for (const [path, content] of Object.entries(files)) writeFileSync(place(path), content);
    for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
    git('add', '--all');
    git('commit', '--quiet', '--message=first');
    git('tag', 'v1');
    git('clone', '--quiet', '--bare', work, join(this.folder, name));
    execFileSync('git', ['-C', join(this.folder, name), 'config', 'uploadpack.allowReachableSHA1InWant', 'true']);
    return git('rev-parse', 'HEAD').trim();
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Serves repositories over HTTP with git's own program for that. Those below `/private` want a password, those below `/moved` are
 * elsewhere on this server, those below `/moved-to-PORT` on another one.
 */
export class GitHttpServer {
  readonly origin: string;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(folder: string, authorization: string): Promise<GitHttpServer> {
    const server = createServer((request, response) => {
      const [, port, rest] = /^\/moved(?:-to-(\d+))?(\/.*)/.exec(request.url ?? '') ?? [];
      if (rest !== undefined)
        response.writeHead(301, { location: port === undefined ? rest : `http://127.0.0.1:${port}${rest}` }).end();
      else if (request.url?.startsWith('/private') && request.headers.authorization !== authorization)
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      else serve(folder, request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new GitHttpServer(server);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** CGI, as git's documentation describes it. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => {});
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.split(' ')[0] ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(output.subarray(end + 4));
  });
}

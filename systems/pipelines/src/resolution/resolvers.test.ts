import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pipeline, StepAction, Task } from '../kinds/kinds.ts';
import { ResolverBench, taskText } from './test-support.ts';

let bench: ResolverBench;

beforeAll(async () => {
  bench = await ResolverBench.start();
});
afterAll(() => bench.stop());

const getting = (resolver: string, message: string) => `error getting "${resolver}" "default/REQUEST": ${message}`;
const invalid = (message: string) => `invalid resource request "default/REQUEST": ${message}`;

describe('the cluster resolver', () => {
  const namespace = 'default';

  beforeAll(async () => {
    const steps = [{ name: 's', image: 'i' }];
    await bench.plane.client.create(Task, { metadata: { namespace, name: 't' }, spec: { steps } });
    await bench.plane.client.create(StepAction, { metadata: { namespace, name: 's' }, spec: { image: 'i' } });
    const tasks = [{ name: 'a', taskRef: { name: 't' } }];
    await bench.plane.client.create(Pipeline, { metadata: { namespace, name: 'p' }, spec: { tasks } });
  });

  it.each([
    ['task', 't', 'Task', 'tekton.dev/v1'],
    ['pipeline', 'p', 'Pipeline', 'tekton.dev/v1'],
    ['stepaction', 's', 'StepAction', 'tekton.dev/v1beta1'],
  ])('brings a %s', async (kind, name, kindName, apiVersion) => {
    const { succeeded, text, status } = await bench.ask('cluster', { kind, name, namespace });
    expect(succeeded).toBe(true);
    expect(text).toContain(`apiVersion: ${apiVersion}\nkind: ${kindName}\n`);
    expect(status).toMatchObject({
      annotations: { 'resolution.tekton.dev/name': name, 'resolution.tekton.dev/namespace': namespace },
      refSource: { digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
    });
    expect(status.refSource?.uri).toMatch(
      new RegExp(`^/apis/tekton.dev/v1/namespaces/default/${kind}/${name}@[0-9a-f-]{36}$`),
    );
    expect(status.source).toEqual(status.refSource);
  });

  it.each([
    [{ kind: 'task', name: 'none', namespace }, getting('Cluster', 'tasks.tekton.dev "none" not found')],
    [{ kind: 'task' }, invalid('missing required cluster resolver params: name, namespace')],
    [{ kind: 'secret', name: 'x', namespace }, invalid("unknown or unsupported resource kind 'secret'")],
    [{ kind: 'constructor', name: 'x', namespace }, invalid("unknown or unsupported resource kind 'constructor'")],
    [
      { name: 't', namespace, cache: 'maybe' },
      invalid("invalid cache mode 'maybe', must be one of: [always never auto] (or empty for default)"),
    ],
  ])('refuses %j', async (params, message) => {
    expect(await bench.ask('cluster', params)).toMatchObject({
      succeeded: false,
      reason: 'ResolutionFailed',
      message,
      status: { data: '' },
    });
  });

  it('keeps to the namespaces that are allowed, as the settings change', async () => {
    const ask = async () => (await bench.ask('cluster', { kind: 'task', name: 't', namespace })).message;
    await bench.configure('cluster-resolver-config', { 'allowed-namespaces': 'other' });
    expect(await ask()).toBe(invalid('access to specified namespace default is not allowed'));
    await bench.configure('cluster-resolver-config', {
      'allowed-namespaces': 'other, default',
      'blocked-namespaces': '*',
    });
    expect(await ask()).toBe('');
    await bench.configure('cluster-resolver-config', { 'allowed-namespaces': '' });
    expect(await ask()).toBe(invalid('only explicit allowed access to namespaces is allowed'));
    await bench.configure('cluster-resolver-config', { 'allowed-namespaces': '', 'blocked-namespaces': 'x,default' });
    expect(await ask()).toBe(invalid('access to specified namespace default is blocked'));
    await bench.configure('cluster-resolver-config', { 'blocked-namespaces': '' });
  });

  it('can be switched off', async () => {
    await bench.configure('resolvers-feature-flags', { 'enable-cluster-resolver': 'false' });
    const { message } = await bench.ask('cluster', { kind: 'task', name: 't', namespace });
    expect(message).toBe(invalid('cannot handle resolution request, enable-cluster-resolver feature flag not true'));
    await bench.configure('resolvers-feature-flags', { 'enable-cluster-resolver': 'true' });
  });

  it('caches answers on request', async () => {
    const params = { kind: 'task', name: 't', namespace, cache: 'always' };
    const operation = async () =>
      (await bench.ask('cluster', params)).status.annotations?.['resolution.tekton.dev/cache-operation'];
    expect(await operation()).toBe('store');
    expect(await operation()).toBe('retrieve');
    const { status } = await bench.ask('cluster', { ...params, cache: 'never' });
    expect(status.annotations).not.toHaveProperty(['resolution.tekton.dev/cached']);
  });
});

describe('the http resolver', () => {
  let server: Server;
  let other: Server;
  let origin: string;
  const seen: (string | undefined)[] = [];

  const listen = (made: Server) =>
    new Promise<string>((resolve) => {
      made.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(made.address() as AddressInfo).port}`));
    });

  beforeAll(async () => {
    other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(taskText);
    });
    const elsewhere = await listen(other);
    server = createServer((request, response) => {
      const { url = '', headers } = request;
      if (url === '/secret.yaml' && headers.authorization !== 'Basic bWU6cGFzcw==') response.writeHead(401).end();
      else if (url === '/away.yaml') response.writeHead(302, { location: `${elsewhere}/x` }).end();
      else if (url === '/large.yaml') response.end('x'.repeat(1024 * 1024 + 1));
      else if (url === '/endless.yaml') response.write('apiVersion: ');
      else if (url === '/other.yaml') response.end('apiVersion: v1\nkind: Secret\n');
      else if (url === '/no.yaml') response.end('{[');
      else if (url.endsWith('.yaml')) response.end(taskText);
      else response.writeHead(404).end();
    });
    origin = await listen(server);
  });
  afterAll(() => {
    server.close();
    other.close();
  });

  const sha256 = createHash('sha256').update(taskText).digest('hex');

  it('brings a file, with where it is from', async () => {
    const url = `${origin}/task.yaml`;
    const { text, status } = await bench.ask('http', { url, digest: `sha256:${sha256}` });
    expect(text).toBe(taskText);
    expect(status.refSource).toEqual({ uri: url, digest: { sha256 } });
  });

  it('logs in with a password from a Secret of the namespace', async () => {
    await bench.createSecret('web', { password: 'pass' });
    const url = `${origin}/secret.yaml`;
    expect((await bench.ask('http', { url })).message).toBe(getting('Http', `requested URL '${url}' is not found`));
    const login = { 'http-username': 'me', 'http-password-secret': 'web' };
    expect((await bench.ask('http', { url, ...login })).succeeded).toBe(true);
    const { message } = await bench.ask('http', { url, ...login, 'http-password-secret-key': 'x' });
    expect(message).toBe(getting('Http', 'cannot get API token, key x not found in secret web in namespace default'));
  });

  it('does not take credentials along to another host', async () => {
    const login = { 'http-username': 'me', 'http-password-secret': 'web' };
    expect((await bench.ask('http', { url: `${origin}/away.yaml`, ...login })).succeeded).toBe(true);
    expect(seen).toEqual([undefined]);
  });

  it.each([
    ['{}', {}, 'missing required http resolver params: url'],
    ['another scheme', { url: 'ftp://x.test/y' }, 'url ftp://x.test/y is not a valid http(s) url'],
    ['no URL', { url: 'task.yaml' }, 'cannot parse url task.yaml: parse "task.yaml": invalid URI for request'],
    [
      'a user without a password',
      { url: 'http://x/', 'http-username': 'me' },
      'missing required param http-password-secret when using http-username',
    ],
  ])('refuses %s', async (_title, params, message) => {
    expect((await bench.ask('http', params)).message).toBe(invalid(message));
  });

  it.each([
    ['what is not there', '/none', {}, "requested URL 'ORIGIN/none' is not found"],
    ['what is too large', '/large.yaml', {}, 'response body exceeds maximum allowed size of 1048576 bytes'],
    [
      'what is no object of Tekton',
      '/other.yaml',
      {},
      'resolved resource validation error: resolved data is not of a supported type, must be of Group: tekton.dev, Kinds: [PipelineRun Pipeline TaskRun Task Run CustomRun StepAction]',
    ],
    [
      'another content than the digest says',
      '/task.yaml',
      { digest: `sha256:${'0'.repeat(64)}` },
      `error validating digest: SHA mismatch, expected ${'0'.repeat(64)}, got ${sha256}`,
    ],
    [
      'a digest of another kind',
      '/task.yaml',
      { digest: 'md5:0' },
      'error validating digest: invalid digest algorithm: md5',
    ],
  ])('refuses %s', async (_title, path, params, message) => {
    const answer = await bench.ask('http', { url: origin + path, ...params });
    expect(answer.message).toBe(getting('Http', message.replace('ORIGIN', origin)));
  });

  it('reports a refused connection', async () => {
    const closed = createServer();
    const nobody = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    const { message } = await bench.ask('http', { url: `${nobody}/task.yaml` });
    const address = nobody.slice('http://'.length);
    const reason = `Get "${nobody}/task.yaml": dial tcp ${address}: connect: connection refused`;
    expect(message).toBe(getting('Http', `error fetching URL: ${reason}`));
  });

  it('stops a fetch whose body does not end within the timeout', async () => {
    await bench.configure('http-resolver-config', { 'fetch-timeout': '200ms' });
    const { message } = await bench.ask('http', { url: `${origin}/endless.yaml` });
    expect(message).toContain('context deadline exceeded');
    server.closeAllConnections();
    await bench.configure('http-resolver-config', {});
  });
});

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualClock } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CredentialMaterial } from './credentials.ts';
import { inClusterConfig } from './in-cluster.ts';
import { loadConfig } from './load-config.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function write(text: string, name = `config-${++files}`): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig with one context, cluster and user, all named `it`. */
function config(cluster: string, user = '{}', context = ''): string {
  return `
apiVersion: v1
kind: Config
current-context: it
clusters: [{name: it, cluster: ${cluster}}]
users: [{name: it, user: ${user}}]
contexts: [{name: it, context: {cluster: it, user: it${context}}}]
`;
}

const server = '{server: "https://example.com:6443"}';

async function materialOf(user: string): Promise<CredentialMaterial | undefined> {
  const loaded = await loadConfig({ kubeconfig: await write(config(server, user)) });
  return loaded.credentials?.current();
}

describe('where the configuration comes from', () => {
  it('is the file that is named, whatever the environment says', async () => {
    const named = await write(config('{server: "https://named"}'));
    const other = await write(config('{server: "https://other"}'));
    const loaded = await loadConfig({ kubeconfig: named, environment: { KUBECONFIG: other } });
    expect(loaded).toEqual({ server: 'https://named', namespace: 'default' });
  });

  it('is $KUBECONFIG, else the file in the home folder', async () => {
    await mkdir(join(folder, '.kube'), { recursive: true });
    await write(config('{server: "https://home"}'), '.kube/config');
    const listed = await write(config('{server: "https://listed"}'));
    expect(await loadConfig({ environment: { HOME: folder } })).toMatchObject({ server: 'https://home' });
    expect(await loadConfig({ environment: { HOME: folder, KUBECONFIG: '' } })).toMatchObject({
      server: 'https://home',
    });
    expect(await loadConfig({ environment: { HOME: folder, KUBECONFIG: listed } })).toMatchObject({
      server: 'https://listed',
    });
  });

  it('is merged from several files: the first that names something counts, missing ones are passed over', async () => {
    const first = await write(`
current-context: a
contexts: [{name: a, context: {cluster: shared, user: u, namespace: first}}]
clusters: [{name: shared, cluster: {server: "https://first"}}]`);
    const second = await write(`
current-context: b
contexts: [{name: a, context: {cluster: shared, namespace: second}}, {name: b, context: {cluster: shared, user: u}}]
clusters: [{name: shared, cluster: {server: "https://second"}}]
users: [{name: u, user: {token: secret}}]`);
    const environment = { KUBECONFIG: `${join(folder, 'absent')}:${first}::${second}` };
    const loaded = await loadConfig({ environment });
    expect(loaded).toMatchObject({ server: 'https://first', namespace: 'first' });
    expect(await loaded.credentials?.current()).toEqual({ authorization: 'Bearer secret' });
    expect(await loadConfig({ environment, context: 'b' })).toMatchObject({
      server: 'https://first',
      namespace: 'default',
    });
  });

  it('is nothing: says what to do', async () => {
    await expect(loadConfig({ environment: { HOME: '/nonexistent' } })).rejects.toMatchObject({
      code: 'NO_CONFIGURATION',
      message: expect.stringMatching(/searched \/nonexistent\/\.kube\/config.*tektite up/),
    });
  });

  it('is the service account of the pod, whose token is read again as it rotates', async () => {
    const account = join(folder, 'account');
    await mkdir(account);
    await write(pem, 'account/ca.crt');
    await write('team-a\n', 'account/namespace');
    await write('one\n', 'account/token');
    const clock = virtualClock();
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const loaded = await inClusterConfig(clock, environment, account);
    expect(loaded).toMatchObject({ server: 'https://[fd00::1]:443', certificateAuthority: pem, namespace: 'team-a' });
    expect(await loaded.credentials?.current()).toEqual({ authorization: 'Bearer one' });
    await write('two\n', 'account/token');
    expect(await loaded.credentials?.current()).toEqual({ authorization: 'Bearer one' });
    await clock.advance(61_000);
    expect(await loaded.credentials?.current()).toEqual({ authorization: 'Bearer two' });
  });

  it('of a refused token is the file once more', async () => {
    const token = await write('old');
    const clock = virtualClock();
    const kubeconfig = await write(config(server, `{tokenFile: ${token}}`));
    const { credentials } = await loadConfig({ kubeconfig, clock });
    const old = (await credentials?.current()) as CredentialMaterial;
    await clock.advance(10_000);
    await writeFile(token, 'new');
    expect(credentials?.refused(old)).toBe(true);
    const fresh = (await credentials?.current()) as CredentialMaterial;
    expect(fresh.authorization).toBe('Bearer new');
    expect(credentials?.refused(fresh)).toBe(false);
  });
});

describe('what a cluster says', () => {
  it.each([
    ['{server: "https://a", tls-server-name: b}', { server: 'https://a', tlsServerName: 'b' }],
    ['{server: "https://a", insecure-skip-tls-verify: true}', { insecureSkipTlsVerify: true }],
    ['{server: "https://a", proxy-url: "socks5://localhost:1080"}', { proxyUrl: 'socks5://localhost:1080' }],
    [`{server: "https://a", certificate-authority-data: ${base64(pem)}}`, { certificateAuthority: pem }],
  ])('reads the cluster %s', async (cluster, expected) => {
    expect(await loadConfig({ kubeconfig: await write(config(cluster)) })).toMatchObject(expected);
  });

  it('names files relative to its own', async () => {
    await write(pem, 'ca.pem');
    const kubeconfig = await write(config('{server: "https://a", certificate-authority: ca.pem}'));
    expect(await loadConfig({ kubeconfig })).toMatchObject({ certificateAuthority: pem });
  });
});

describe('who a user is', () => {
  it.each([
    ['{token: abc}', { authorization: 'Bearer abc' }],
    ['{username: me, password: "p:w"}', { authorization: `Basic ${base64('me:p:w')}` }],
    [
      `{client-certificate-data: ${base64(pem)}, client-key-data: ${base64(pem)}}`,
      { clientCertificate: { certificate: pem, key: pem } },
    ],
    [
      `{token: abc, client-certificate-data: ${base64(pem)}, client-key-data: ${base64(pem)}}`,
      { authorization: 'Bearer abc', clientCertificate: { certificate: pem, key: pem } },
    ],
  ])('reads the user %s', async (user, expected) => {
    expect(await materialOf(user)).toEqual(expected);
  });

  it('may be in files beside the kubeconfig', async () => {
    await write(pem, 'client.crt');
    await write(pem, 'client.key');
    await write('from-file', 'token');
    expect(
      await materialOf('{tokenFile: token, token: fallback, client-certificate: client.crt, client-key: client.key}'),
    ).toEqual({
      authorization: 'Bearer from-file',
      clientCertificate: { certificate: pem, key: pem },
    });
  });

  it('may be anonymous, or impersonate', async () => {
    expect(await materialOf('{}')).toBeUndefined();
    const user = '{token: abc, as: jane, as-uid: "1", as-groups: [devs], as-user-extra: {scope: [all]}}';
    expect(await loadConfig({ kubeconfig: await write(config(server, user)) })).toMatchObject({
      impersonate: { user: 'jane', uid: '1', groups: ['devs'], extra: { scope: ['all'] } },
    });
  });
});

describe('a kubeconfig that cannot be used', () => {
  const kubeconfigs: [string, string, RegExp][] = [
    ['broken YAML', 'a: [', /cannot be used: it is not valid YAML/],
    ['another file', 'apiVersion: v1\nkind: Pod', /it is a v1 Pod, not a v1 Config/],
    ['a list', '- a', /it is not a mapping/],
    ['no context', 'clusters: []', /it has no current-context; set one/],
    [
      'a context that is missing',
      'current-context: x\ncontexts: [{name: z, context: {}}]',
      /context "x" does not exist; it has "z"/,
    ],
    [
      'a cluster that is missing',
      'current-context: x\ncontexts: [{name: x, context: {cluster: c}}]',
      /names cluster "c", which does not exist/,
    ],
    [
      'a user that is missing',
      'current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://a"}}]',
      /names user "u", which does not exist/,
    ],
    ['two of a name', 'clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]', /"a" is twice in clusters/],
    ['no server', config('{}'), /cluster "it" in .*it has no server/],
    [
      'an authority and no checks',
      config(`{server: "https://a", insecure-skip-tls-verify: true, certificate-authority-data: ${base64(pem)}}`),
      /exclude each other/,
    ],
    [
      'data that is no PEM',
      config('{server: "https://a", certificate-authority-data: bm8=}'),
      /certificate-authority-data is not a PEM text/,
    ],
    [
      'a file that is missing',
      config('{server: "https://a", certificate-authority: nowhere.pem}'),
      /cannot read certificate-authority .*nowhere\.pem/,
    ],
    ['a strange proxy', config('{server: "https://a", proxy-url: "ftp://a"}'), /must be an http, https or socks5 URL/],
    ['a certificate without a key', config(server, `{client-certificate-data: ${base64(pem)}}`), /no client-key/],
    ['two ways to log in', config(server, '{token: a, username: b, password: c}'), /more than one way to log in/],
    [
      'a removed auth provider',
      config(server, '{auth-provider: {name: gcp}}'),
      /auth-provider "gcp" was removed.*exec plugin/,
    ],
    ['groups without a user', config(server, '{as-groups: [a]}'), /need as/],
    [
      'a plugin without a command',
      config(server, '{exec: {apiVersion: client.authentication.k8s.io/v1}}'),
      /exec has no command/,
    ],
    [
      'a plugin of an old version',
      config(server, '{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}}'),
      /v1alpha1 is not supported/,
    ],
    [
      'a plugin that does not say whether it talks',
      config(server, '{exec: {apiVersion: client.authentication.k8s.io/v1, command: a}}'),
      /must set interactiveMode/,
    ],
  ];
  it.each(kubeconfigs)('because of %s says so, and names the file', async (_, text, message) => {
    const kubeconfig = await write(text);
    const failure = await loadConfig({ kubeconfig }).catch(
      (error: unknown) => error as { code: string; message: string },
    );
    expect(failure).toMatchObject({
      code: expect.stringMatching(/^(INVALID_KUBECONFIG|UNSUPPORTED_CREDENTIALS)$/),
      message: expect.stringMatching(message),
    });
    expect((failure as { message: string }).message).toContain(kubeconfig);
  });

  it('because it is missing or not readable says so', async () => {
    await expect(loadConfig({ kubeconfig: join(folder, 'absent') })).rejects.toThrow(
      /absent: it does not exist; check the path/,
    );
    await expect(loadConfig({ kubeconfig: folder })).rejects.toMatchObject({ code: 'INVALID_KUBECONFIG' });
  });
});

describe('a credential plugin', () => {
  async function plugin(script: string, exec = ''): Promise<string> {
    const name = `plugin-${++files}.sh`;
    await chmod(await write(`#!/bin/sh\n${script}\n`, name), 0o755);
    return `{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./${name}, interactiveMode: Never${exec}}}`;
  }
  const credential = (status: string) =>
    `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}'`;

  it('gives a token, with arguments and environment as configured', async () => {
    const user = await plugin(
      credential('{"token":"\'$1-$REGION\'"}'),
      ', args: [login], env: [{name: REGION, value: eu}]',
    );
    expect(await materialOf(user)).toEqual({ authorization: 'Bearer login-eu' });
  });

  it('gives a certificate', async () => {
    const text = JSON.stringify(pem);
    const user = await plugin(
      credential(`{"clientCertificateData":${text},"clientKeyData":${text}}`).replaceAll('\\n', '\\\\n'),
    );
    expect((await materialOf(user))?.clientCertificate?.certificate).toContain('BEGIN CERTIFICATE');
  });

  it('runs once until its token expires or is refused', async () => {
    const count = join(folder, `count-${++files}`);
    const user = await plugin(
      `echo x >> ${count}; n=$(wc -l < ${count} | tr -d ' ')\n${credential('{"token":"\'$n\'","expirationTimestamp":"2026-01-01T01:00:00Z"}')}`,
    );
    const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'));
    const { credentials } = await loadConfig({ kubeconfig: await write(config(server, user)), clock });
    const [a, b] = await Promise.all([credentials?.current(), credentials?.current()]);
    expect([a?.authorization, b?.authorization]).toEqual(['Bearer 1', 'Bearer 1']);
    await clock.advance(59 * 60_000);
    expect((await credentials?.current())?.authorization).toBe('Bearer 1');
    await clock.advance(55_000);
    const second = (await credentials?.current()) as CredentialMaterial;
    expect(second.authorization).toBe('Bearer 2');
    expect(credentials?.refused(second)).toBe(true);
    expect((await credentials?.current())?.authorization).toBe('Bearer 3');
  });

  it('receives the cluster when it asks', async () => {
    const user = await plugin(
      `node -e 'const {spec} = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: {token: JSON.stringify(spec)}}))'`,
      ', provideClusterInfo: true',
    );
    const { authorization = '' } = (await materialOf(user)) ?? {};
    expect(JSON.parse(authorization.replace('Bearer ', ''))).toEqual({
      interactive: false,
      cluster: { server: 'https://example.com:6443', config: null },
    });
  });

  it.each([
    ['fails', 'echo "not logged in" >&2; exit 3', /exit code 3: not logged in/],
    ['prints no JSON', 'echo hello', /did not print JSON/],
    ['prints something else', 'echo "{}"', /no ExecCredential/],
    [
      'prints another version',
      `echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"}'`,
      /apiVersion client\.authentication\.k8s\.io\/v1beta1, the kubeconfig says/,
    ],
    ['prints nothing to log in with', credential('{}'), /neither a token nor a certificate/],
    ['prints a strange time', credential('{"token":"a","expirationTimestamp":"soon"}'), /is no time/],
  ])('that %s is reported', async (_, script, message) => {
    await expect(materialOf(await plugin(script))).rejects.toMatchObject({
      code: 'CREDENTIALS_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('that does not exist is reported with its install hint', async () => {
    const user =
      '{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: no-such-plugin, installHint: "apt install it"}}';
    await expect(materialOf(user)).rejects.toThrow(
      /no-such-plugin failed: the command does not exist; install it\napt install it/,
    );
  });
});

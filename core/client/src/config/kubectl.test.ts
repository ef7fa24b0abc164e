import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { admin, type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import { kinds } from '../kinds.ts';
import { httpTransport } from '../transport/http-transport.ts';
import { loadConfig } from './load-config.ts';

const run = promisify(execFile);
const hasKubectl = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
if (!hasKubectl) console.log('kubectl is not installed: kubeconfigs are not compared with what it makes of them');

describe.skipIf(!hasKubectl)('kubectl and this client read a kubeconfig the same way', () => {
  let folder: string;
  let plane: ControlPlane;
  let server: string;
  /** Who requests for secrets said they are. */
  let seen: Record<string, unknown>[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
    await writeFile(join(folder, 'token'), 'from-file\n');
    plane = await startControlPlane({
      authenticators: [
        {
          authenticate({ headers, path }) {
            const identity = Object.entries(headers).filter(([name]) => /^(authorization|impersonate-.*)$/.test(name));
            if (path.endsWith('/secrets')) seen.push(Object.fromEntries(identity));
            return admin;
          },
        },
      ],
    });
    server = `https://127.0.0.1:${(await plane.https()).port}`;
  });
  afterAll(async () => {
    await plane.close();
    await rm(folder, { recursive: true });
  });

  const exec = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never, args: [-c, 'echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"from-exec\\"}}"']}}`;
  const insecure = 'insecure-skip-tls-verify: true';

  it.each<[string, string, string, boolean?]>([
    ['a token', '{token: abc}', insecure],
    ['a token file beside it', '{tokenFile: token}', insecure],
    ['a token and a token file', '{token: abc, tokenFile: token}', insecure],
    ['a name and password', '{username: me, password: secret}', insecure],
    ['a plugin', exec, insecure],
    ['groups', '{token: abc, as: jane, as-uid: "7", as-groups: [a, b]}', insecure],
    ['extra', '{token: abc, as: jane, as-user-extra: {Scope: [x], example.com/y: [z]}}', insecure],
    ['two ways to log in', '{token: abc, username: me, password: secret}', insecure, true],
    ['a removed auth provider', '{auth-provider: {name: gcp}}', insecure, true],
    ['a server that is not trusted', '{token: abc}', 'tls-server-name: localhost', true],
    ['an authority and no checks', '{token: abc}', `${insecure}, certificate-authority: token`, true],
  ])('with %s', async (_, user, cluster, refused = false) => {
    const kubeconfig = join(folder, 'config');
    await writeFile(
      kubeconfig,
      `{apiVersion: v1, kind: Config, current-context: it, clusters: [{name: it, cluster: {server: "${server}", ${cluster}}}], users: [{name: it, user: ${user}}], contexts: [{name: it, context: {cluster: it, user: it}}]}`,
    );
    seen = [];
    // Impersonated users may not list secrets; that they asked is enough.
    await run('kubectl', ['--kubeconfig', kubeconfig, 'get', 'secrets', '-A']).catch(() => {});
    const theirs = seen.at(-1) ?? 'refused';
    seen = [];
    await (async () => {
      await using client = new Client(httpTransport(await loadConfig({ kubeconfig })));
      await client.list(kinds.Secret);
    })().catch(() => {});
    expect(seen.at(-1) ?? 'refused').toEqual(theirs);
    expect(theirs === 'refused').toBe(refused);
  });
});

import { httpTransport, loadConfig } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCommand } from '../../test-support.ts';
import { loginProxy } from './login-proxy.ts';
import { BrowserSession } from './test-support.ts';

const seconds = { timeout: 30_000 };
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { namespace: 'default', name: 'viewer' },
  rules: [{ apiGroups: ['tekton.dev'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
};
const binding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { namespace: 'default', name: 'viewer' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'viewer' },
  subjects: [
    { kind: 'ServiceAccount', namespace: 'default', name: 'default' },
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' },
  ],
};
const run = {
  apiVersion: 'tekton.dev/v1',
  kind: 'PipelineRun',
  metadata: { namespace: 'default', name: 'seen' },
  spec: { status: 'PipelineRunPending', pipelineRef: { name: 'none' } },
};

describe('logins in a browser', () => {
  let session: BrowserSession;
  const running: RunningCommand[] = [];
  beforeAll(async () => {
    session = await BrowserSession.start(['--systems', 'pipelines', '--runtime', 'none']);
    for (const object of [role, binding, run]) await session.client.create(object as unknown as DynamicObject);
  });
  afterAll(async () => {
    for (const command of running) await command.stop();
    await session?.[Symbol.asyncDispose]();
  });

  /** `tektite dashboard` with these options, and its address. */
  const serve = async (...options: readonly string[]): Promise<string> => {
    const args = ['dashboard', '--kubeconfig', session.kubeconfig, '--port', '0', ...options];
    const command = await session.scratch.start(args, /Ctrl-C/);
    running.push(command);
    return /http:\/\/\S+/.exec(command.output)?.[0] ?? '';
  };

  it('acts as the user of a bearer token, and denies others', async () => {
    const transport = httpTransport(await loadConfig({ kubeconfig: session.kubeconfig }));
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { body: made } = await transport.request({ method: 'POST', path, body });
    await transport.close();
    const { token } = (made as { status: { token: string } }).status;
    const page = await session.otherPage();
    await page.goto(await serve('--login', 'token'));
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The API server does not accept this token.').waitFor();
    expect(await session.survey('login', '', '.login', page)).toEqual([]);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('system:serviceaccount:default:default').waitFor(seconds);
    // The account may list runs of its namespace, and nothing else.
    await page.getByText('is forbidden').first().waitFor();
    await page.goto(`${new URL(page.url()).origin}/runs?namespace=default`);
    await page.getByRole('row').filter({ hasText: 'seen' }).waitFor(seconds);
    await page.goto(`${new URL(page.url()).origin}/objects/core/v1/secrets`);
    await page.getByText('secrets is forbidden').waitFor();
    await page.context().close();
  });

  it('acts as the user that a trusted proxy names, and follows a change of user', async () => {
    const target = await serve('--login', 'header', '--trusted-proxy', '127.0.0.1');
    await using proxy = await loginProxy(target);
    const page = await session.otherPage();
    await page.goto(proxy.url);
    await page.getByText('has not named one').waitFor();
    proxy.user = 'ann';
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('ann', { exact: true }).waitFor(seconds);
    await page.goto(`${proxy.url}/runs?namespace=default`);
    await page.getByRole('row').filter({ hasText: 'seen' }).waitFor(seconds);
    proxy.user = 'bob';
    await page.reload();
    await page.getByText('bob', { exact: true }).waitFor(seconds);
    await page.getByText('User "bob" cannot list').first().waitFor();
    await page.context().close();
  });
});

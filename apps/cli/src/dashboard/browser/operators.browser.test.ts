import { join } from 'node:path';
import { type Client, mergePatch } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../test-support.ts';
import { hostileText } from './sample-pipeline.ts';
import { BrowserSession } from './test-support.ts';

const seconds = { timeout: 60_000 };
const payload = join(repository, 'examples/connectors/kodata');
const systems = ['--systems', 'tekton-operator,connectors,byoh', '--runtime', 'simulated', '--payload', payload];
const tektonConfig = {
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonConfig',
  metadata: { name: 'config' },
  spec: {
    profile: 'lite',
    targetNamespace: 'tekton-pipelines',
    pruner: { disabled: true },
    pipeline: { 'default-timeout-minutes': 30 },
  },
};
const connector = {
  apiVersion: 'operator.connectors.alauda.io/v1alpha1',
  kind: 'Connector',
  metadata: { namespace: 'default', name: 'guestbook' },
  spec: {},
};
const byoh = 'infrastructure.cluster.x-k8s.io/v1beta1';
const managerName = 'system:serviceaccount:byoh-system:byoh-controller-manager';
const host = {
  apiVersion: byoh,
  kind: 'ByoHost',
  metadata: { namespace: 'default', name: 'host-1' },
  spec: { uninstallationScript: `rm -rf /etc/kubernetes\n${hostileText}` },
  status: { hostinfo: { osname: 'linux', osimage: 'Debian 12', architecture: 'amd64' } },
};
const machine = { apiVersion: byoh, kind: 'ByoMachine', metadata: { namespace: 'default', name: 'web-1' }, spec: {} };

describe('operators in a browser', () => {
  let session: BrowserSession;
  /** Hosts are written by their agents and by the manager alone. */
  let manager: Client;
  beforeAll(async () => {
    session = await BrowserSession.start(systems);
    const create = (object: object) => session.client.create(object as DynamicObject);
    manager = await session.clientOf({ user: managerName, groups: ['system:masters'] });
    await Promise.all([create(tektonConfig), create(connector), create(machine), manager.create(host)]);
    await manager.patch(host, host.metadata, mergePatch({ status: host.status }), { subresource: 'status' });
  });
  afterAll(async () => {
    await manager?.close();
    await session?.[Symbol.asyncDispose]();
  });

  it('shows components with their conditions, and sets by phase with the health of every object', async () => {
    const { page } = session;
    await session.go('/installs');
    const pipeline = page.getByRole('article', { name: 'TektonPipeline pipeline' });
    await pipeline
      .getByText('Ready is True')
      .first()
      .waitFor({ state: 'attached', ...seconds });
    await pipeline.locator('summary').filter({ hasText: 'main-static' }).click();
    await pipeline.getByText('CrdsInstalled').first().waitFor();
    await pipeline.getByRole('link', { name: 'pipelineruns.tekton.dev' }).waitFor();
    await expect.poll(() => pipeline.getByRole('img', { name: 'Current' }).count()).toBeGreaterThan(20);
    await session.screenshot('phases-light-1280');
    await page.reload();
    await pipeline.getByRole('link', { name: 'pipelineruns.tekton.dev' }).waitFor();
    const config = page.getByRole('article', { name: 'TektonConfig config' });
    await config
      .getByText('Ready is True')
      .first()
      .waitFor({ state: 'attached', ...seconds });
    const guestbook = page.getByRole('article', { name: 'Connector guestbook' });
    await expect.poll(() => guestbook.locator('details.set').count(), seconds).toBe(2);
  });

  it('plans a change of the TektonConfig as a diff, and applies it', async () => {
    const { page, client } = session;
    await page.getByRole('article', { name: 'TektonConfig config' }).getByText('Plan a change').click();
    const text = page.locator('textarea');
    await text.waitFor();
    await text.fill((await text.inputValue()).replace(/default-timeout-minutes: \d+/, 'default-timeout-minutes: 45'));
    await page.getByRole('button', { name: 'Check and show the difference' }).click();
    await page.getByText('+     default-timeout-minutes: 45').waitFor();
    const plan = page.getByRole('region', { name: 'Plan of the operator' });
    await plan.getByText('config-defaults').waitFor();
    await session.screenshot('plan-light-1280');
    expect(await session.axe()).toEqual([]);
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap' };
    const key = { namespace: 'tekton-pipelines', name: 'config-defaults' };
    const minutes = async () =>
      ((await client.get(configMap, key)) as { data?: Record<string, string> }).data?.['default-timeout-minutes'];
    expect(await minutes()).not.toBe('45');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Saved').waitFor();
    await expect.poll(minutes, seconds).toBe('45');
  });

  it('shows the history of a set, and rolls back after the diff was shown', async () => {
    const { page, scratch, client } = session;
    const apply = (level: string) => {
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { level } });
      const args = [
        'apply',
        '-f',
        scratch.write('web.json', text),
        '--set',
        'shop',
        '--kubeconfig',
        session.kubeconfig,
      ];
      expect(scratch.tektite(args)).toMatchObject({ code: 0 });
    };
    apply('info');
    apply('debug');
    await session.go('/installs');
    const set = page.getByRole('article', { name: 'Set shop' });
    await set.getByText('Roll back…').click();
    await page.getByText('+   level: info').waitFor();
    expect(await session.surveyHere('rollback')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Rolled back shop to revision 1').waitFor();
    await set.getByText('rollback to 1').waitFor();
    const key = { namespace: 'default', name: 'web' };
    expect(await client.get({ apiVersion: 'v1', kind: 'ConfigMap' }, key)).toMatchObject({ data: { level: 'info' } });
  });

  it('shows the owners of an object and what they own as a tree', async () => {
    const { page } = session;
    await session.go('/objects/apps/v1/deployments/tekton-pipelines/tekton-pipelines-controller?tab=tree');
    await page.locator('.owner.self').getByText('tekton-pipelines-controller').waitFor(seconds);
    await page.locator('.owner').filter({ hasText: 'TektonConfig config' }).waitFor();
    await page.locator('.owner').filter({ hasText: 'ReplicaSet' }).first().waitFor();
    await page.locator('.owner').filter({ hasText: 'Pod tekton-pipelines-controller' }).first().waitFor();
  });

  it('shows hosts with their undo record, and the step that a machine waits for', async () => {
    const { page } = session;
    await session.go('/hosts');
    const web = page.getByRole('article', { name: 'ByoMachine web-1' });
    await web.getByText('no Machine owns it yet').waitFor(seconds);
    const own = page.getByRole('article', { name: 'ByoHost host-1' });
    await own.getByText('Undo record').click();
    await own.getByText('<img src=x onerror=alert(1)>').waitFor();
    await manager.patch(host, host.metadata, mergePatch({ spec: { uninstallationScript: null } }));
    await own.getByText('There is nothing to undo').waitFor();
  });

  it('has no serious finding of axe, at any width, light and dark', async () => {
    const found = [
      ...(await session.survey('installs', '/installs', '.object-line, details.set')),
      ...(await session.survey('hosts', '/hosts', '.steps li')),
      ...(await session.survey(
        'tree',
        '/objects/apps/v1/deployments/tekton-pipelines/tekton-pipelines-controller?tab=tree',
        '.owner',
      )),
    ];
    expect(found).toEqual([]);
    expect(session.problems).toEqual([]);
  });
});

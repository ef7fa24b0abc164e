import { mergePatch } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserSession } from './test-support.ts';
import { endlessRun, flakyRun, hostileText, samplePipeline, sampleRun } from './sample-pipeline.ts';

const seconds = { timeout: 60_000 };
/** Something that only a page with its data has. */
const ready = '.row:not(.head), .tab-body :is(svg, table, pre, form, .log-row, .fall-row), .list td, .kinds li, .empty';
const runPage = (name: string, query = '') => `/runs/pipelinerun/default/${name}${query}`;

describe('the dashboard in a browser', () => {
  let session: BrowserSession;
  beforeAll(async () => {
    session = await BrowserSession.start();
    await session.client.create(samplePipeline);
  });
  afterAll(() => session?.[Symbol.asyncDispose]());

  const row = (name: string) => session.page.getByRole('row').filter({ hasText: name });

  it('lists runs as they are created, and shows their end', async () => {
    const { page, client } = session;
    await page.getByText('No runs yet').waitFor();
    await client.create(sampleRun('good'));
    await row('good').waitFor();
    await row('good').getByText('Succeeded').waitFor(seconds);
    await client.create(sampleRun('bad', 'bad'));
    await row('bad').getByText('Failed').waitFor(seconds);
  });

  it('filters by state and by text, and keeps both in its address', async () => {
    const { page } = session;
    await page.getByRole('button', { name: /^Failed/ }).click();
    await expect.poll(() => row('good').count()).toBe(0);
    expect(page.url()).toContain('state=failed');
    await page.reload();
    await row('bad').waitFor();
    expect(await row('good').count()).toBe(0);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByLabel('Filter').fill('team=web goo');
    await expect.poll(() => row('bad').count()).toBe(0);
    await row('good').waitFor();
  });

  it('shows the runs of chosen namespaces', async () => {
    const { page, client } = session;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } } as DynamicObject);
    await session.go('/runs');
    await page.getByText('All namespaces', { exact: true }).first().click();
    await page.getByLabel('other', { exact: true }).check();
    await page.getByText('No runs yet').waitFor();
    await page.getByLabel('default', { exact: true }).check();
    await row('good').waitFor();
    expect(decodeURIComponent(page.url())).toContain('namespace=other,default');
    expect(await session.surveyHere('namespaces')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('2 namespaces').waitFor();
  });

  it('shows the graph of a run with states, and the log of a task from there', async () => {
    const { page } = session;
    await session.go(runPage('bad'));
    await page
      .getByRole('button', { name: /^check .*Failed/ })
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /^scan .*Skipped/ })
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /^image 2 of 2.*Succeeded/ })
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /^test .*Succeeded/ })
      .first()
      .click();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await page.getByText('301 lines').waitFor();
  });

  it('searches a log, and links to a line', async () => {
    const { page } = session;
    await page.getByLabel('Search the log').fill('case 4\\d passed');
    await page.getByText('1 of 10').waitFor();
    await page.getByText('case 40 passed').waitFor();
    await page.getByLabel('Link to line 45').click();
    await page.reload();
    await page.locator('.log-row.current').getByText('case 45 passed').waitFor();
  });

  it('shows logs of earlier attempts, and what is kept when the Pod was deleted', async () => {
    const { page, client } = session;
    await client.create(flakyRun as DynamicObject);
    await session.go('/runs/taskrun/default/flaky');
    await page.locator('.state-tag').getByText('Failed').waitFor(seconds);
    await page.getByText('trying', { exact: true }).waitFor();
    await page.getByRole('button', { name: /run \(attempt 1\)/ }).click();
    await expect.poll(() => page.getByText('trying', { exact: true }).count()).toBe(2);
    expect(page.url()).toContain('fold=');
    const run = await client.get(flakyRun, flakyRun.metadata);
    const { podName = '' } = (run as { status?: { podName?: string } }).status ?? {};
    await client.delete({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default', name: podName });
    await expect
      .poll(async () =>
        client.getOrUndefined({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default', name: podName }),
      )
      .toBeUndefined();
    await page.reload();
    await page.getByText('The Pod of this step was deleted').first().waitFor();
    await page
      .getByText(/^exit code 3/)
      .first()
      .waitFor();
    await client.delete(flakyRun, flakyRun.metadata);
  });

  it('shows the timeline, details, events and YAML of a run as text', async () => {
    const { page } = session;
    await session.go(runPage('bad', '?tab=timeline'));
    await page.getByText('Critical path', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('Started', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('pipelineRef').first().waitFor();
    await page.getByRole('tab', { name: 'Explain' }).click();
    await page.getByRole('columnheader', { name: 'Because' }).waitFor();
  });

  it('shows markup, escapes and marks of direction of params, events and YAML as text', async () => {
    const { page, client } = session;
    const params = [{ name: 'revision', value: hostileText }];
    const hostile = sampleRun('hostile', 'good', { status: 'PipelineRunPending', params });
    const run: DynamicObject = await client.create(hostile as DynamicObject);
    const { uid = '' } = run.metadata;
    await client.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: 'hostile' },
      involvedObject: { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', namespace: 'default', name: 'hostile', uid },
      reason: hostileText,
      message: hostileText,
      type: 'Warning',
    } as unknown as DynamicObject);
    const shown = { details: 2, events: 2, yaml: 2 };
    for (const [tab, times] of Object.entries(shown)) {
      await session.go(runPage('hostile', `?tab=${tab}`));
      await expect.poll(() => page.locator('#tab-panel').getByText('<img src=x onerror=alert(1)>').count()).toBe(times);
      const text = await page.locator('#tab-panel').innerText();
      expect([text.includes('\u001b'), text.includes('\u202e')]).toEqual([false, false]);
    }
    await client.delete(run, { namespace: 'default', name: 'hostile' });
  });

  it('starts a run again with other params', async () => {
    const { page } = session;
    await session.go(runPage('bad'));
    await page.getByRole('button', { name: 'Start with other params' }).click();
    expect(await page.getByLabel('outcome').inputValue()).toBe('bad');
    await page.getByLabel('outcome').fill('good');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/pipelinerun\/default\/bad-/);
    await page.locator('.state-tag').getByText('Succeeded').waitFor(seconds);
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('When Expressions evaluated to false: "good" in ["never"]').waitFor();
  });

  it('reruns what failed, and opens the new run', async () => {
    const { page } = session;
    await session.go(runPage('bad'));
    await page.getByRole('button', { name: 'Rerun from failed' }).click();
    await page.waitForURL(/pipelinerun\/default\/bad-r/);
    await page.locator('.state-tag').getByText('Failed').waitFor(seconds);
    expect(await page.getByRole('button', { name: /^clone .*(Succeeded|Failed)/ }).count()).toBe(0);
  });

  it('cancels a run that goes on, and deletes several at once', async () => {
    const { page, client } = session;
    await client.create(endlessRun);
    await session.go('/runs/taskrun/default/endless');
    await page.getByText('waiting', { exact: true }).waitFor(seconds);
    await page.reload();
    await page.getByText('waiting', { exact: true }).waitFor(seconds);
    await page.locator('.state-tag').getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.state-tag').getByText('Cancelled').waitFor(seconds);
    await session.go('/runs');
    await page.getByLabel('Select endless').check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    expect(await session.surveyHere('dialog')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => row('endless').count()).toBe(0);
  });

  it('starts a pipeline with its form, and follows the run to its result', async () => {
    const { page } = session;
    await session.go('/pipelines');
    await page.getByRole('link', { name: 'release', exact: true }).click();
    await page.getByRole('img', { name: 'publish' }).waitFor();
    await page.getByRole('tab', { name: 'Start' }).click();
    await page.getByLabel('platforms').fill('amd64');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('must be a list').waitFor();
    await page.getByLabel('platforms').fill('["amd64"]');
    await page.getByLabel('revision').fill('v1.2');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/pipelinerun\/default\/release-/);
    await page.locator('.state-tag').getByText('Succeeded').waitFor(seconds);
    await page
      .getByRole('button', { name: /^clone .*Succeeded/ })
      .first()
      .click();
    await page.getByText('cloning v1.2').waitFor();
  });

  it('shows any object, and edits it: checked by the server, with the difference, and conflicts', async () => {
    const { page, client } = session;
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const key = { namespace: 'default', name: 'settings' };
    await client.create({ ...kind, metadata: key, data: { level: 'info' } });
    await session.go('/objects');
    await page.getByRole('link', { name: 'ConfigMap', exact: true }).click();
    await page.getByRole('link', { name: 'settings' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const text = page.locator('textarea');
    const type = async () => text.fill((await text.inputValue()).replace(/level: \w+/, 'level: debug'));
    await type();
    expect(await session.surveyHere('editor')).toEqual([]);
    await client.patch(kind, key, mergePatch({ data: { other: 'x' } }));
    await page.getByRole('button', { name: 'Check and show the difference' }).click();
    await page.getByText('the object has been modified').waitFor();
    await page.getByRole('button', { name: 'Load the current object' }).click();
    await type();
    await page.getByRole('button', { name: 'Check and show the difference' }).click();
    await page.getByText('+   level: debug').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await client.get(kind, key)).toMatchObject({ data: { level: 'debug', other: 'x' } });
  });

  it('finds any object by its name with one key', async () => {
    const { page } = session;
    await session.go('/runs');
    await row('good').waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Search all objects by name').fill('settings default');
    await page.getByRole('option', { name: 'settings' }).first().waitFor();
    expect(await session.surveyHere('search')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/objects\/core\/v1\/configmaps\/default\/settings/);
  });

  it('denies a link that was used, and a browser without a session', async () => {
    const context = await session.browser.newContext();
    const page = await context.newPage();
    await page.goto(session.link());
    await page.getByText('This link was used already, or has expired.').waitFor();
    await page.getByLabel('Code').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This link was used already, or has expired.').waitFor();
    await context.close();
  });

  it('has no serious finding of axe, at any width, light and dark', async () => {
    const places = {
      runs: '/runs',
      graph: runPage('bad'),
      timeline: runPage('bad', '?tab=timeline'),
      logs: runPage('bad', '?tab=logs&task=test'),
      details: runPage('bad', '?tab=details'),
      yaml: runPage('bad', '?tab=yaml'),
      pipelines: '/pipelines',
      start: '/pipelines/pipeline/default/release?tab=start',
      objects: '/objects',
      table: '/objects/core/v1/configmaps',
      object: '/objects/core/v1/configmaps/default/settings',
      events: runPage('bad', '?tab=events'),
      explain: runPage('bad', '?tab=explain'),
    };
    const found: string[] = [];
    for (const [name, place] of Object.entries(places)) found.push(...(await session.survey(name, place, ready)));
    expect(found).toEqual([]);
  });

  it('goes on after the server was restarted', async () => {
    const { page } = session;
    await page.setViewportSize({ width: 1280, height: 800 });
    await session.go('/runs');
    await row('good').waitFor();
    const startAgain = await session.stop();
    await page.getByText('Reconnecting').waitFor();
    await row('good').waitFor();
    await startAgain();
    await session.client.create(sampleRun('after'));
    await row('after').waitFor(seconds);
    await page.getByText('Reconnecting').waitFor({ state: 'detached' });
  });

  it('ran no script of a run, and met no error', () => {
    expect(session.problems).toEqual([]);
  });
});

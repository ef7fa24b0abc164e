import type { DynamicObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserSession } from './test-support.ts';

const seconds = { timeout: 60_000 };
const step = (text: string) => ({ name: 'compile', image: 'busybox', script: `echo '${text}'` });

describe('the archive in a browser', () => {
  let session: BrowserSession;
  beforeAll(async () => {
    session = await BrowserSession.start(['--systems', 'pipelines,results', '--runtime', 'host']);
  });
  afterAll(() => session?.[Symbol.asyncDispose]());

  const run = (text: string): DynamicObject => ({
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { namespace: 'default', name: 'release', labels: { team: 'web' } },
    spec: { pipelineSpec: { tasks: [{ name: 'build', taskSpec: { steps: [step(text)] } }] } },
  });
  const row = () => session.page.getByRole('row').filter({ hasText: 'release' });

  /** Runs it to its end, and waits until it is archived. */
  async function runToArchive(text: string): Promise<string> {
    const { client } = session;
    const { metadata } = await client.create(run(text));
    const stored = async () =>
      (await client.get(run(text), { namespace: 'default', name: 'release' })).metadata.annotations?.[
        'results.tekton.dev/stored'
      ];
    await expect.poll(stored, seconds).toBe('true');
    return metadata.uid ?? '';
  }

  const remove = async () => {
    const { client } = session;
    await client.delete(run(''), { namespace: 'default', name: 'release' });
    const find = () => client.getOrUndefined(run(''), { namespace: 'default', name: 'release' });
    await expect.poll(find, seconds).toBeUndefined();
  };

  it('lists runs that were deleted, and shows their graph, log and details', async () => {
    const { page } = session;
    const uid = await runToArchive('first <b>words</b>');
    await remove();
    await session.go('/runs');
    await page.getByText('No runs yet').waitFor(seconds);
    await page.getByLabel('Archived').check();
    await row().getByText('Succeeded').waitFor(seconds);
    await page.getByLabel('Filter').fill('team=api');
    await page.getByText('No run').waitFor();
    await page.getByLabel('Filter').fill('team=web rele');
    await row().getByRole('link', { name: 'release' }).click();
    expect(page.url()).toContain(`uid=${uid}`);
    await page.getByText('Archived', { exact: true }).waitFor();
    await page
      .getByRole('button', { name: /^build .*Succeeded/ })
      .first()
      .click();
    await page.getByText('first <b>words</b>').waitFor(seconds);
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    expect(await session.surveyHere('archived-run')).toEqual([]);
    await session.go('/runs?archived=1');
    await row().waitFor(seconds);
    expect(await session.surveyHere('archived-runs')).toEqual([]);
  });

  it('tells runs of one name apart, and has the log of a run whose Pod was deleted', async () => {
    const { page, client } = session;
    await runToArchive('second');
    await session.go('/runs?archived=1');
    await expect.poll(() => row().count(), seconds).toBe(2);
    await row().last().getByRole('link', { name: 'release' }).click();
    await page.getByText('Archived', { exact: true }).waitFor(seconds);
    await page
      .getByRole('button', { name: /^build/ })
      .first()
      .click();
    await page.getByText('first <b>words</b>').waitFor(seconds);
    await client.delete({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default', name: 'release-build-pod' });
    await session.go('/runs/pipelinerun/default/release?tab=logs&task=build');
    await page.getByText('second', { exact: true }).waitFor(seconds);
    expect(await page.getByText('Archived', { exact: true }).count()).toBe(0);
  });

  it('met no error', () => {
    expect(session.problems).toEqual([]);
  });
});

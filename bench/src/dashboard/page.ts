import { CodeLogin, serveDashboard } from '@tektite/dashboard';
import { mergePatch } from '@tektite/client';
import { systemClock, systemRandom } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { chromium, type Page } from 'playwright-core';
import type { Row } from '../table.ts';
import { pageFolder } from './page-folder.ts';

const kind = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' };
const idleMs = 10_000;

/** Lists many runs in a browser, changes one, and leaves a page with running ones alone. */
export async function benchPage(count: number, running: number): Promise<readonly Row[]> {
  await using plane = await startControlPlane();
  await define(plane);
  for (let index = 0; index < count; index++) await create(plane, index, index < running);
  const visitor = async () => ({ name: 'bench', transport: plane.transport() });
  const login = new CodeLogin(visitor, systemClock, systemRandom);
  const server = await serveDashboard({ login, pageFolder, host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${server.url}/runs?sort=name#code=${login.issue()}`);
    const painted = await paintedAfter(page, count);
    const shown = await changeShownAfter(page, plane);
    const idle = await busyWhileIdle(page);
    return [
      {
        what: `${count} runs, after the last answer`,
        value: painted,
        unit: 'ms',
        target: { value: 500, better: 'less' },
      },
      { what: 'a change', value: shown, unit: 'ms', target: { value: 50, better: 'less' } },
      {
        what: `idle with ${running} running`,
        value: idle * 100,
        unit: '% of a core',
        target: { value: 5, better: 'less' },
      },
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

/** From the end of the last answer of the list until its rows were painted. */
async function paintedAfter(page: Page, count: number): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const check = () => {
      const table = document.querySelector('[role=table]');
      if (table?.getAttribute('aria-rowcount') !== '${count + 1}') return requestAnimationFrame(check);
      const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/pipelineruns'));
      requestAnimationFrame(() => resolve(performance.now() - Math.max(...answers.map(({ responseEnd }) => responseEnd))));
    };
    check();
  })`);
}

/** From the end of a write until the row shows it; the median of several. */
async function changeShownAfter(page: Page, plane: ControlPlane): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const reason = `Round${round}`;
    const seen = page.evaluate<number>(`new Promise((resolve) => {
      const check = () =>
        document.querySelector('.run-row:not(.head)')?.textContent.includes('${reason}') ? resolve(Date.now()) : requestAnimationFrame(check);
      check();
    })`);
    const status = { conditions: [{ type: 'Succeeded', status: 'Unknown', reason }] };
    const key = { namespace: 'default', name: 'run-00000' };
    await plane.client.patch(kind, key, mergePatch({ status }));
    const written = Date.now();
    times.push(Math.max(0, (await seen) - written));
  }
  return times.sort((a, b) => a - b)[3] ?? 0;
}

/** The share of a core that the page uses by repainting times. */
async function busyWhileIdle(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const before = await busy();
  await page.waitForTimeout(idleMs);
  return ((await busy()) - before) / (idleMs / 1000);
}

/** The kinds of runs, without their controllers. */
export async function define(plane: ControlPlane): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  for (const each of ['PipelineRun', 'TaskRun']) {
    const singular = each.toLowerCase();
    const names = { kind: each, plural: `${singular}s`, singular, listKind: `${each}List` };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await plane.client.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${singular}s.tekton.dev` },
      spec: { group: 'tekton.dev', scope: 'Namespaced', names, versions },
    } as never);
  }
}

async function create(plane: ControlPlane, index: number, isRunning: boolean): Promise<void> {
  const name = `run-${String(index).padStart(5, '0')}`;
  const startTime = new Date(Date.now() - index * 1000).toISOString();
  const condition = isRunning ? { status: 'Unknown', reason: 'Running' } : { status: 'True', reason: 'Succeeded' };
  await plane.client.create({
    ...kind,
    metadata: { namespace: 'default', name, labels: { team: 'web' } },
    spec: { pipelineRef: { name: 'release' } },
    status: {
      startTime,
      ...(isRunning ? {} : { completionTime: new Date().toISOString() }),
      conditions: [
        { type: 'Succeeded', ...condition, message: 'Tasks Completed: 3 (Failed: 0, Cancelled 0), Skipped: 0' },
      ],
    },
  } as never);
}

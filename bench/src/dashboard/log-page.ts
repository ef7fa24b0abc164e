import { CodeLogin, serveDashboard } from '@tektite/dashboard';
import type { Transport, TransportStream } from '@tektite/client';
import { systemClock, systemRandom } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { chromium, type Page } from 'playwright-core';
import type { Row } from '../table.ts';
import { define } from './page.ts';
import { pageFolder } from './page-folder.ts';

const batch = 2000;

/** A long log in a browser: shown to its end, searched, and jumped through. */
export async function benchLogPage(count: number): Promise<readonly Row[]> {
  await using plane = await startControlPlane();
  await define(plane);
  const terminated = { exitCode: 0, reason: 'Completed' };
  await plane.client.create({
    apiVersion: 'tekton.dev/v1',
    kind: 'TaskRun',
    metadata: { namespace: 'default', name: 'long' },
    spec: {},
    status: {
      podName: 'pod',
      conditions: [{ type: 'Succeeded', status: 'True' }],
      steps: [{ name: 'suite', container: 'step-suite', terminated }],
    },
  } as never);
  const sent = { at: 0 };
  const visitor = async () => ({ name: 'bench', transport: withLog(plane.transport(), count, sent) });
  const login = new CodeLogin(visitor, systemClock, systemRandom);
  const server = await serveDashboard({ login, pageFolder, host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const opened = Date.now();
    await page.goto(`${server.url}/runs/taskrun/default/long?tab=logs#code=${login.issue()}`);
    const shownAt = await whenShown(page, lineText(count - 1));
    const search = await searchTime(page, count);
    const jump = await jumpTime(page);
    return [
      {
        what: 'last line, after it was sent',
        value: shownAt - sent.at,
        unit: 'ms',
        target: { value: 300, better: 'less' },
      },
      { what: 'the whole log, from the link', value: shownAt - opened, unit: 'ms' },
      { what: 'full search, from the last key', value: search, unit: 'ms', target: { value: 2000, better: 'less' } },
      { what: 'rows after a jump', value: jump, unit: 'ms', target: { value: 300, better: 'less' } },
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

const lineText = (line: number) => `case ${line} of the suite passed`;

/** The log of every Pod is a long one. */
function withLog(transport: Transport, count: number, sent: { at: number }): Transport {
  return {
    request: (request) => transport.request(request),
    watch: (request) => transport.watch(request),
    stream: async (request) => (request.path.endsWith('/log') ? longLog(count, sent) : transport.stream(request)),
    close: () => transport.close(),
  };
}

function longLog(count: number, sent: { at: number }): TransportStream<Uint8Array> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let line = 0; line < count; line += batch) {
      const lines = Array.from(
        { length: batch },
        (_, index) => `2026-01-01T00:00:00.000000000Z \u001b[32mok\u001b[0m ${lineText(line + index)}\n`,
      );
      sent.at = Date.now();
      yield Buffer.from(lines.join(''));
    }
  }
  return { status: 200, headers: {}, warnings: [], [Symbol.asyncIterator]: chunks, close: () => undefined };
}

/** When the page shows a text of the log. */
async function whenShown(page: Page, text: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const check = () => {
      const rows = [...document.querySelectorAll('.log-text')];
      if (rows.at(-1)?.textContent.includes(${JSON.stringify(text)})) resolve(Date.now());
      else requestAnimationFrame(check);
    };
    check();
  })`);
}

async function searchTime(page: Page, count: number): Promise<number> {
  const found = count / 100;
  await page.getByLabel('Search the log').fill('case \\d*77 of');
  const start = Date.now();
  const text = `1 of ${found}`;
  await page.getByText(text, { exact: true }).waitFor();
  return Date.now() - start;
}

/** From a scroll to the middle until its rows are painted; the slowest of several. */
async function jumpTime(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const list = document.querySelector('.log-rows');
    const first = () => document.querySelector('.log-row .log-number')?.textContent;
    let slowest = 0;
    for (const part of [0.5, 0.1, 0.9, 0.3, 0.7]) {
      const before = first();
      const start = performance.now();
      list.scrollTop = list.scrollHeight * part;
      while (first() === before || !first()) await new Promise(requestAnimationFrame);
      slowest = Math.max(slowest, performance.now() - start);
    }
    return slowest;
  })()`);
}

import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { layoutGraph } from '@tektite/dashboard/graph';
import { LogDocument } from '@tektite/dashboard/logs';
import { printTable, type Row } from '../table.ts';
import { benchLogPage } from './log-page.ts';
import { benchPage } from './page.ts';
import { pageFolder } from './page-folder.ts';

/** The web page: its size, layouts and logs in Node, and lists in Chromium. */
export async function benchDashboard({ quick }: { quick: boolean }): Promise<void> {
  const ok = [
    printTable('size of the page (gzip)', sizes()),
    printTable('graph of 1,000 tasks', [layout()]),
    printTable(`log of ${quick ? '200,000' : '1,000,000'} lines`, logs(quick ? 200_000 : 1_000_000)),
    printTable('the log in Chromium', await benchLogPage(quick ? 200_000 : 1_000_000)),
    printTable('runs in Chromium', await benchPage(quick ? 2000 : 10_000, quick ? 200 : 1000)),
  ];
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

function sizes(): readonly Row[] {
  const names = readdirSync(pageFolder);
  const read = (name: string) => readFileSync(`${pageFolder}/${name}`);
  const kilobytes = (list: Iterable<string>) =>
    [...list].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0) / 1000;
  const first = new Set(names.filter((name) => /^(?:app|style)-|\.html$|\.svg$/.test(name)));
  for (const name of first)
    if (name.endsWith('.js'))
      for (const [, part = ''] of read(name)
        .toString()
        .matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
        first.add(part);
  return [
    { what: 'first load', value: kilobytes(first), unit: 'KB', target: { value: 100, better: 'less' } },
    { what: 'everything', value: kilobytes(names), unit: 'KB', target: { value: 280, better: 'less' } },
  ];
}

function layout(): Row {
  const nodes = Array.from({ length: 1000 }, (_, index) => ({
    id: `task-${index}`,
    parents: index < 10 ? [] : [`task-${index - 10}`, `task-${Math.floor(index * 0.37)}`],
    width: 150,
  }));
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    layoutGraph(nodes, { nodeHeight: 44, gapX: 44, gapY: 14 });
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return { what: 'laid out', value: times[3] ?? 0, unit: 'ms', target: { value: 50, better: 'less' } };
}

function logs(count: number): readonly Row[] {
  global.gc?.();
  const before = process.memoryUsage();
  const used = ({ heapUsed, arrayBuffers }: NodeJS.MemoryUsage) => heapUsed + arrayBuffers;
  const document = new LogDocument();
  document.open('step');
  const encoder = new TextEncoder();
  const batch = 1000;
  for (let line = 0; line < count; line += batch) {
    const lines = Array.from(
      { length: batch },
      (_, index) =>
        `2026-01-01T00:00:00.000000000Z \u001b[32mok\u001b[0m case ${line + index} of the suite passed in ${index} ms\n`,
    );
    document.append('step', encoder.encode(lines.join('')));
  }
  const timed = (work: () => unknown) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  const tail = timed(() => document.rows(document.rowCount - 100, document.rowCount));
  const search = timed(() => document.search(/case \d*77 of/iu));
  const wrap = timed(() => {
    document.wrap(80);
    return document.rows(document.rowCount - 100, document.rowCount);
  });
  global.gc?.();
  const megabytes = (used(process.memoryUsage()) - used(before)) / 1e6;
  return [
    { what: 'tail shown', value: tail, unit: 'ms', target: { value: 300, better: 'less' } },
    { what: 'full search', value: search, unit: 'ms', target: { value: 2000, better: 'less' } },
    { what: 'wrapped, tail shown', value: wrap, unit: 'ms' },
    { what: 'memory', value: megabytes, unit: 'MB', target: { value: 400, better: 'less' } },
  ];
}

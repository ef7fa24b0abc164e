import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedStorage, type ResultsStorage, startResultsServer } from '@tektite/results';
import { Client } from 'undici';
import { printTable, type Row } from '../table.ts';
import { archivedRun } from './archived-runs.ts';

const inFlight = 64;
const type = 'tekton.dev/v1.TaskRun';

/** The lists that are asked for. */
const queries: readonly (readonly [what: string, path: string])[] = [
  ['the newest of a namespace', 'team-7/results/-/records?order_by=create_time%20desc'],
  ['the newest of all', '-/results/-/records?order_by=create_time%20desc'],
  [
    'those of a pipeline in a namespace',
    `team-7/results/-/records?${filter('data_type == TASK_RUN && data.metadata.labels["tekton.dev/pipeline"] == "pipeline-7"')}`,
  ],
  [
    'those of an app, the newest first',
    `-/results/-/records?order_by=create_time%20desc&${filter('data.metadata.labels["app"] == "app-77"')}`,
  ],
  ['failed ones of a namespace', `team-0/results/-/records?${filter('data.status.conditions[0].reason == "Failed"')}`],
  ['one by the name of its run', `-/results/-/records?${filter('data.metadata.name == "pipeline-5-run-5-build"')}`],
  ['one by its uid, which is not there', `-/results/-/records?${filter('data.metadata.uid == "none"')}`],
  [
    'an app that has no failed run',
    `-/results/-/records?${filter('data.metadata.labels["app"] == "app-77" && data.status.conditions[0].reason == "Failed"')}`,
  ],
  [
    'results that failed, by their end',
    `-/results?order_by=summary.end_time%20desc&${filter('summary.status == FAILURE')}`,
  ],
  ['results of a pipeline', `team-7/results?${filter('annotations["tekton.dev/pipeline"] == "pipeline-7"')}`],
];

function filter(text: string): string {
  return `filter=${encodeURIComponent(text)}`;
}

/** A million archived runs: how fast they come, what they weigh, and how fast they are found. */
export async function benchResults({ quick }: { quick: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tektite-bench-results-'));
  try {
    const count = quick ? 50_000 : 1_000_000;
    await using storage = await EmbeddedStorage.open(folder);
    const rows: Row[] = [...(await archive(storage, count))];
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    rows.push({ what: 'on disk, each', value: bytes / count, unit: 'bytes', target: { value: 2048, better: 'less' } });
    rows.push({ what: 'memory of the process', value: process.memoryUsage().rss / 1e6, unit: 'MB' });
    const isMet = printTable(`${count.toLocaleString('en-US')} archived runs`, rows);
    const isFast = printTable('The first page of a list, over HTTP, p95 of 40', await ask(storage));
    process.exitCode = isMet && isFast ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function archive(storage: ResultsStorage, count: number): Promise<readonly Row[]> {
  let next = 0;
  const began = performance.now();
  const cpu = process.cpuUsage();
  const writer = async () => {
    while (next < count) {
      const index = next++;
      const { uid, namespace: parent, object } = archivedRun(index);
      const { metadata } = object as { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
      const summary = { record: `${parent}/results/${uid}/records/${uid}`, type, status: index % 20 === 0 ? 2 : 1 };
      const times = { start: (1_760_000_000 + index) * 1e6, end: (1_760_000_045 + index) * 1e6 };
      const annotations = { 'tekton.dev/pipeline': metadata.labels['tekton.dev/pipeline'] as string };
      const data = Buffer.from(JSON.stringify(object));
      await storage.transact(async (transaction) => {
        const { id } = await transaction.insertResult({
          parent,
          name: uid,
          annotations,
          summary: { ...summary, ...times },
        });
        await transaction.insertRecord({ parent, resultName: uid, resultId: id, name: uid, type, data });
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writer));
  const { user, system } = process.cpuUsage(cpu);
  const [seconds, busy] = [(performance.now() - began) / 1000, (user + system) / 1e6];
  return [
    {
      what: 'archived for each second of one core, with what makes the runs',
      value: count / busy,
      unit: '/s',
      target: { value: 2000, better: 'more' },
    },
    { what: `archived a second, ${inFlight} at a time, on disk when answered`, value: count / seconds, unit: '/s' },
  ];
}

async function ask(storage: ResultsStorage): Promise<readonly Row[]> {
  const access = { check: () => Promise.resolve() };
  await using server = await startResultsServer({ storage, access, host: '127.0.0.1', port: 0 });
  const client = new Client(`http://127.0.0.1:${server.port}`);
  const rows: Row[] = [];
  for (const [what, path] of queries) {
    const times: number[] = [];
    for (let turn = 0; turn < 42; turn++) {
      const began = performance.now();
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: `/apis/results.tekton.dev/v1alpha2/parents/${path}`,
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${what}: ${text}`);
      // The first ones are compiled.
      if (turn >= 2) times.push(performance.now() - began);
    }
    rows.push({
      what,
      value: times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0,
      unit: 'ms',
      target: { value: 100, better: 'less' },
    });
  }
  await client.close();
  return rows;
}

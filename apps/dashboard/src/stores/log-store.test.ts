import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import type { KubeApi, StreamReader } from '../api/kube-api.ts';
import type { ToolApi } from '../api/tool-answers.ts';
import type { LogReply } from '../logs/log-messages.ts';
import { LogSession } from '../logs/log-session.ts';
import { transportApi } from '../test-support.ts';
import { type LogPort, type LogStep, LogStore } from './log-store.ts';

/** The session of the worker, without a worker. */
function port(): LogPort {
  let listener: (reply: LogReply) => void = () => undefined;
  const session = new LogSession(
    (reply) => listener(reply),
    (flush) => queueMicrotask(flush),
  );
  return { post: (request) => session.receive(request), onReply: (each) => (listener = each), close: () => undefined };
}

const step = (id: string, more: Partial<LogStep> = {}): LogStep => ({
  id,
  namespace: 'default',
  pod: 'p',
  container: `step-${id}`,
  isRunning: false,
  state: 'succeeded',
  isFolded: false,
  kept: [],
  ...more,
});
const bytes = (text: string) => new TextEncoder().encode(text);

it('reads the logs of steps one below the other and searches them', async () => {
  const readers = new Map<string, StreamReader>();
  const paths: string[] = [];
  const api = {
    stream: (path: string, reader: StreamReader) => {
      paths.push(path);
      readers.set(/container=step-(\w+)/.exec(path)?.[1] ?? '', reader);
      return () => undefined;
    },
  } as unknown as KubeApi;
  const store = new LogStore(api, systemClock, port());
  store.show([step('a')]);
  store.show([step('a'), step('b')]);
  expect(paths).toEqual([
    '/api/v1/namespaces/default/pods/p/log?container=step-a&follow=true&timestamps=true',
    '/api/v1/namespaces/default/pods/p/log?container=step-b&follow=true&timestamps=true',
  ]);
  readers.get('a')?.onData(bytes('2026-01-01T00:00:00.000000000Z one\n'));
  readers.get('b')?.onData(bytes('two\nthree'));
  readers.get('b')?.onEnd();
  store.showWindow(0, 10);
  await expect.poll(() => store.lines.value).toBe(3);
  expect(store.window.value.rows).toMatchObject([
    { kind: 'head', section: 'a' },
    { line: 1, time: '2026-01-01T00:00:00.000000000Z' },
    { kind: 'head', section: 'b' },
    { line: 1 },
    { line: 2 },
  ]);
  store.search('t(wo|hree)');
  expect([store.total.value, store.matches.value.map(({ row }) => row)]).toEqual([2, [3, 4]]);
  store.search('(');
  expect(store.searchError.value).toMatch(/Invalid regular expression/);
  expect((await store.text(false)).join('')).toBe('== a\none\n== b\ntwo\nthree\n');
  store.close();
});

it('reports that the Pod of a step was deleted', async () => {
  await using plane = await startControlPlane();
  const store = new LogStore(transportApi(plane.transport()), systemClock, port());
  store.show([step('a')]);
  await expect.poll(() => store.problems.value.get('a')).toMatch(/was deleted/);
  store.close();
});

it('goes on with a search while lines arrive', async () => {
  let reader: StreamReader | undefined;
  const api = { stream: (_: string, each: StreamReader) => ((reader = each), () => undefined) } as unknown as KubeApi;
  const store = new LogStore(api, systemClock, port());
  store.show([step('a', { isRunning: true })]);
  store.search('^err');
  reader?.onData(bytes('err 1\nok\n'));
  await expect.poll(() => store.total.value).toBe(1);
  reader?.onData(bytes('err 2\nerr'));
  await expect.poll(() => store.total.value).toBe(2);
  reader?.onData(bytes('or 3\n'));
  await expect.poll(() => store.matches.value.map(({ line }) => line)).toEqual([1, 3, 4]);
  store.search('');
  reader?.onData(bytes('err 5\n'));
  await expect.poll(() => store.lines.value).toBe(5);
  expect(store.matches.value).toEqual([]);
});

it('shows what the status has kept of a step whose Pod was deleted, and folds earlier attempts', async () => {
  let reader: StreamReader | undefined;
  const api = { stream: (_: string, each: StreamReader) => ((reader = each), () => undefined) } as unknown as KubeApi;
  const store = new LogStore(api, systemClock, port());
  store.show([step('a', { kept: ['exit code 1', 'result digest: sha256:1'] })]);
  store.showWindow(0, 10);
  reader?.onEnd({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404 });
  const text = () => store.window.value.rows.map((row) => (row.kind === 'line' ? row.spans[0]?.text : row.isFolded));
  await expect.poll(text).toEqual([false, 'Kept in the status:', 'exit code 1', 'result digest: sha256:1']);
  expect(store.problems.value.get('a')).toContain('was deleted');
  store.show([step('a'), step('b', { isFolded: true })]);
  await expect.poll(() => text().at(-1)).toBe(true);
});

it('reads a step again when another attempt of it has started, behind the earlier one', async () => {
  const readers = new Map<string, StreamReader>();
  const api = {
    stream: (path: string, each: StreamReader) => (
      readers.set(/pods\/([\w-]+)/.exec(path)?.[1] ?? '', each), () => undefined
    ),
  } as unknown as KubeApi;
  const store = new LogStore(api, systemClock, port());
  store.showWindow(0, 10);
  store.show([step('a', { pod: 'first', isRunning: true })]);
  readers.get('first')?.onData(bytes('one\n'));
  await expect.poll(() => store.lines.value).toBe(1);
  store.show([step('a (attempt 1)', { pod: 'first' }), step('a', { pod: 'second' })]);
  readers.get('first')?.onData(bytes('one\n'));
  readers.get('second')?.onData(bytes('two\n'));
  const text = () => store.window.value.rows.map((row) => (row.kind === 'line' ? row.spans[0]?.text : row.section));
  await expect.poll(text).toEqual(['a (attempt 1)', 'one', 'a', 'two']);
});

it('reads the log of a deleted Pod from the archive, once for all steps', async () => {
  let reader: StreamReader | undefined;
  const api = { stream: (_: string, each: StreamReader) => ((reader = each), () => undefined) } as unknown as KubeApi;
  const asked: object[] = [];
  const text = '[a] one\n[a] \n[a] [b] two\n\n[b] three\n\n';
  const call = async (_: string, input: object) => (asked.push(input), { text, isCut: false });
  const store = new LogStore(api, systemClock, port(), { call } as unknown as ToolApi);
  store.showWindow(0, 10);
  const archived = 'default/results/r/logs/l';
  store.show([
    step('a', { archived }),
    step('b', { archived, isArchived: true }),
    step('c', { archived, isArchived: true }),
  ]);
  reader?.onEnd({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404 });
  const shown = () =>
    store.window.value.rows.map((row) => (row.kind === 'line' ? (row.spans[0]?.text ?? '') : `== ${row.section}`));
  await expect.poll(shown).toEqual(['== a', 'one', '', '[b] two', '== b', 'three', '== c']);
  expect(asked).toEqual([{ namespace: 'default', log: archived }]);
  expect([...store.problems.value.keys()]).toEqual(['c']);
});

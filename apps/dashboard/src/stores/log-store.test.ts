import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import type { KubeApi, StreamReader } from '../api/kube-api.ts';
import type { LogReply } from '../logs/log-messages.ts';
import { LogSession } from '../logs/log-session.ts';
import { transportApi } from '../test-support.ts';
import { type LogPort, LogStore } from './log-store.ts';

/** The session of the worker, without a worker. */
function port(): LogPort {
  let listener: (reply: LogReply) => void = () => undefined;
  const session = new LogSession(
    (reply) => listener(reply),
    (flush) => queueMicrotask(flush),
  );
  return { post: (request) => session.receive(request), onReply: (each) => (listener = each), close: () => undefined };
}

const step = (id: string) => ({ id, namespace: 'default', pod: 'p', container: `step-${id}`, isRunning: false });
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

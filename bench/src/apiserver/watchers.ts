import type { Pool } from 'undici';
import { headers, type ServerProcess } from '../server-process.ts';
import { namespace, update } from './workload.ts';

/** Opens a watch and calls back for each line. */
export async function openWatch(pool: Pool, onEvent: (line: string) => void): Promise<() => void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  const abort = new AbortController();
  const { body } = await pool.request({ method: 'GET', path, headers, signal: abort.signal });
  let rest = '';
  body.on('data', (chunk: Buffer) => {
    rest += chunk.toString();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(line);
  });
  body.on('error', () => {});
  return () => abort.abort();
}

/** Milliseconds from the start of a write to the event at a watcher; the median. */
export async function watchLag(server: ServerProcess, writes: number): Promise<number> {
  const pool = server.connect(2);
  const lags: number[] = [];
  let started = 0;
  let seen: () => void = () => {};
  const stop = await openWatch(server.connect(1), () => {
    lags.push(performance.now() - started);
    seen();
  });
  for (let i = 0; i < writes; i++) {
    const event = new Promise<void>((resolve) => (seen = resolve));
    started = performance.now();
    await Promise.all([update(pool, 'c-0', `lag-${i}`), event]);
  }
  stop();
  return lags.toSorted((a, b) => a - b)[lags.length >> 1] ?? Number.NaN;
}

/** Milliseconds until one write has reached all of so many watchers. */
export async function fanOut(server: ServerProcess, watchers: number): Promise<number> {
  let missing = watchers;
  let all: () => void = () => {};
  const pool = server.connect(watchers);
  const stops = await Promise.all(
    Array.from({ length: watchers }, () =>
      openWatch(pool, () => {
        if (--missing === 0) all();
      }),
    ),
  );
  const writer = server.connect(1);
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    missing = watchers;
    const done = new Promise<void>((resolve) => (all = resolve));
    const started = performance.now();
    await Promise.all([update(writer, 'c-1', `fan-${i}`), done]);
    times.push(performance.now() - started);
  }
  for (const stop of stops) stop();
  return times.toSorted((a, b) => a - b)[2] ?? Number.NaN;
}

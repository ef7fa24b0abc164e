import type { DynamicObject, KubeObject } from '@tektite/meta';
import { seededRandom, sleep, systemClock } from '@tektite/meta';
import { faultyTransport, settle, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import { kinds } from '../kinds.ts';
import { mergePatch } from '../patch.ts';
import {
  type Behaviour,
  configMap,
  configMapEvent,
  configMapList,
  events,
  failure,
  json,
  startFaultServer,
} from '../transport/fault-server.cases.ts';
import { httpTransport } from '../transport/http-transport.ts';
import { type ResilientEvent, resilientWatch, type ResilientWatchOptions } from './resilient-watch.ts';

/** One line per event. */
function describeEvent(event: ResilientEvent<KubeObject>): string {
  switch (event.type) {
    case 'vanished':
      return `vanished ${event.object.name}`;
    case 'bookmark':
    case 'synced':
      return `${event.type} ${event.resourceVersion}`;
    case 'restarted':
      return 'restarted';
    case 'error':
      return `error ${(event.error as unknown as { code: string | number }).code}`;
    default:
      return `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;
  }
}

/** Watches ConfigMaps of a server that behaves so, until that many events came; waits pass in no time. */
async function watchServer(behave: Behaviour, count: number, options: ResilientWatchOptions = {}) {
  const clock = virtualClock();
  await using server = await startFaultServer(behave);
  const transport = httpTransport(server.config, { clock, timeoutMs: 120_000, watchIdleTimeoutMs: 60_000 });
  const client = new Client(transport, { clock, random: seededRandom(1), maxRetries: 0 });
  const controller = new AbortController();
  const delivered: string[] = [];
  const waits: number[] = [];
  let done = false;
  const reading = (async () => {
    for await (const event of resilientWatch(client, kinds.ConfigMap, { ...options, signal: controller.signal })) {
      delivered.push(describeEvent(event));
      if (event.type === 'error') waits.push(event.retryInMs);
      if (delivered.length === count) break;
    }
  })().finally(() => {
    done = true;
  });
  const deadline = performance.now() + 10_000;
  while (!done && performance.now() < deadline) {
    await settle(3);
    // Only waits are hurried; a server of this process answers well before any time-out, given a moment of real time.
    await sleep(systemClock, 1);
    await clock.advance(250);
  }
  if (!done)
    controller.abort(new Error(`only got ${JSON.stringify(delivered)} after ${JSON.stringify(server.requests)}`));
  await reading;
  await client.close();
  expect(clock.pendingTimers).toBe(0);
  return { delivered, waits, requests: server.requests };
}

const isWatch = (url: string | undefined) => url?.includes('watch=true');

/** A server with one list and scripted watches. */
function script(list: object, ...watches: Behaviour[]): Behaviour {
  let watched = 0;
  return (request, response, attempt) => {
    if (!isWatch(request.url)) return json(response, 200, list);
    return (watches[Math.min(watched++, watches.length - 1)] as Behaviour)(request, response, attempt);
  };
}

const quiet: Behaviour = (_, response) => events(response);

describe('a resilient watch', () => {
  it('delivers the list, then events, and resumes after the last delivered event', async () => {
    const { delivered, requests } = await watchServer(
      script(
        configMapList('10', configMap('a', '3')),
        (_, response) => {
          events(response, configMapEvent('ADDED', 'b', '11'), configMapEvent('MODIFIED', 'a', '12'));
          response.end();
        },
        (_, response) => events(response, configMapEvent('DELETED', 'a', '13')),
      ),
      5,
    );
    expect(delivered).toEqual(['added a@3', 'synced 10', 'added b@11', 'modified a@12', 'deleted a@13']);
    expect(requests.map((url) => /resourceVersion=(\d+)/.exec(url)?.[1])).toEqual([undefined, '10', '12']);
  });

  it('lets bookmarks move it on', async () => {
    const bookmark = {
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '99' } },
    };
    const { delivered, requests } = await watchServer(
      script(
        configMapList('10'),
        (_, response) => {
          events(response, bookmark);
          response.end();
        },
        (_, response) => events(response, configMapEvent('ADDED', 'a', '100')),
      ),
      3,
    );
    expect(delivered).toEqual(['synced 10', 'bookmark 99', 'added a@100']);
    expect(requests[2]).toContain('resourceVersion=99');
    expect(requests[1]).toContain('allowWatchBookmarks=true');
  });

  it.each([
    ['as an answer', ((_, response) => failure(response, 410, { reason: 'Expired' })) as Behaviour],
    [
      'as an event',
      ((_, response) =>
        events(response, {
          type: 'ERROR',
          object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410, reason: 'Expired' },
        })) as Behaviour,
    ],
    [
      'because the server is behind',
      ((_, response) =>
        failure(response, 504, {
          reason: 'Timeout',
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
        })) as Behaviour,
    ],
  ])('lists again when the history is compacted, %s, and delivers only the difference', async (_, gone) => {
    const lists = [
      configMapList('10', configMap('same', '1'), configMap('changed', '2'), configMap('lost', '3')),
      configMapList('20', configMap('same', '1'), configMap('changed', '12'), configMap('new', '13')),
    ];
    let listed = 0;
    let watched = 0;
    const { delivered } = await watchServer((request, response, attempt) => {
      if (!isWatch(request.url)) json(response, 200, lists[listed++]);
      else (watched++ === 0 ? gone : quiet)(request, response, attempt);
    }, 9);
    expect(delivered).toEqual([
      'added same@1',
      'added changed@2',
      'added lost@3',
      'synced 10',
      'restarted',
      'modified changed@12',
      'added new@13',
      'vanished lost',
      'synced 20',
    ]);
  });

  it('reports an object that was replaced under its name while the watch was interrupted', async () => {
    const replaced = {
      ...configMap('a', '15'),
      metadata: { namespace: 'default', name: 'a', uid: 'another', resourceVersion: '15' },
    };
    const lists = [configMapList('10', configMap('a', '1')), configMapList('20', replaced)];
    let listed = 0;
    let watched = 0;
    const { delivered } = await watchServer((request, response, attempt) => {
      if (!isWatch(request.url)) json(response, 200, lists[listed++]);
      else if (watched++ === 0) failure(response, 410);
      else quiet(request, response, attempt);
    }, 6);
    expect(delivered).toEqual(['added a@1', 'synced 10', 'restarted', 'vanished a', 'added a@15', 'synced 20']);
  });

  it('does not deliver twice what a server repeats', async () => {
    const { delivered } = await watchServer(
      script(configMapList('10', configMap('a', '3')), (_, response) =>
        events(
          response,
          configMapEvent('ADDED', 'a', '3'),
          configMapEvent('MODIFIED', 'a', '3'),
          configMapEvent('DELETED', 'unknown', '9'),
          configMapEvent('MODIFIED', 'a', '11'),
        ),
      ),
      3,
    );
    expect(delivered).toEqual(['added a@3', 'synced 10', 'modified a@11']);
  });

  it('waits as long as an overloaded server asks', async () => {
    const { delivered, waits } = await watchServer(
      script(
        configMapList('10'),
        (_, response) => failure(response, 429, { reason: 'TooManyRequests' }, { 'retry-after': '7' }),
        (_, response) => events(response, configMapEvent('ADDED', 'a', '11')),
      ),
      3,
    );
    expect(delivered).toEqual(['synced 10', 'error 429', 'added a@11']);
    expect(waits).toEqual([7_000]);
  });

  it.each([
    [
      'a cut stream',
      (_: unknown, response: { socket: { destroy(): void } | null }) => response.socket?.destroy(),
      'error CONNECTION_RESET',
    ],
    ['a failing server', (_: unknown, response: Parameters<Behaviour>[1]) => failure(response, 500), 'error 500'],
    ['refused credentials', (_: unknown, response: Parameters<Behaviour>[1]) => failure(response, 401), 'error 401'],
    [
      'a kind that is not served',
      (_: unknown, response: Parameters<Behaviour>[1]) => failure(response, 404),
      'error 404',
    ],
    [
      'garbage',
      (_: unknown, response: Parameters<Behaviour>[1]) => response.writeHead(200).end('garbage\n'),
      'error INVALID_RESPONSE',
    ],
    ['an answer that never begins', () => {}, 'error TIMEOUT'],
  ] as [string, Behaviour, string][])('reports %s, and goes on', async (_, fault, expected) => {
    const { delivered } = await watchServer(
      script(configMapList('10'), fault, (_, response) => events(response, configMapEvent('ADDED', 'a', '11'))),
      3,
    );
    expect(delivered).toEqual(['synced 10', expected, 'added a@11']);
  });

  it('resumes without an error after a dead peer', async () => {
    const { delivered, requests } = await watchServer(
      script(configMapList('10'), quiet, (_, response) => events(response, configMapEvent('ADDED', 'a', '11'))),
      2,
    );
    expect(delivered).toEqual(['synced 10', 'added a@11']);
    expect(requests).toHaveLength(3);
  });

  it('waits longer after each failure, up to a limit, with chance', async () => {
    const { waits } = await watchServer((_, response) => failure(response, 500), 12);
    const limits = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeLessThanOrEqual(limits[i] as number);
      expect(wait).toBeGreaterThanOrEqual((limits[i] as number) / 2);
    }
  });

  it('does not reopen in a busy loop when watches end at once', async () => {
    const { requests } = await watchServer(
      script(
        configMapList('10'),
        ...Array.from(
          { length: 4 },
          (): Behaviour => (_, response) => {
            events(response);
            response.end();
          },
        ),
        (_, response) => events(response, configMapEvent('ADDED', 'a', '11')),
      ),
      2,
    );
    expect(requests).toHaveLength(6);
  });

  it('throws the reason of its signal, whatever it is doing', async () => {
    await using plane = await startControlPlane();
    const controller = new AbortController();
    const reason = new Error('done');
    const reading = (async () => {
      for await (const event of resilientWatch(plane.client, kinds.Namespace, { signal: controller.signal }))
        if (event.type === 'synced') setTimeout(() => controller.abort(reason), 10);
    })();
    await expect(reading).rejects.toBe(reason);
  });
});

describe('a resilient watch under seeded faults', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('ends with the state of the server and repeats nothing, seed %i', async (seed) => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock, seed });
    const random = seededRandom(seed);
    const transport = faultyTransport(plane.transport(), {
      random,
      clock,
      rates: { refuse: 0.1, lose: 0.1, overload: 0.05, delay: 0.2, cut: 0.1, expire: 0.05 },
    });
    const watcher = plane.clientFor(transport);
    const controller = new AbortController();
    const delivered = new Map<string, string>();
    const versions = new Set<string>();
    const reading = (async () => {
      for await (const event of resilientWatch(watcher, kinds.ConfigMap, {
        namespace: 'default',
        pageSize: 3,
        signal: controller.signal,
      })) {
        if (event.type === 'added' || event.type === 'modified') {
          const { name = '', resourceVersion = '' } = event.object.metadata;
          expect(versions.has(`${name}@${resourceVersion}`), `${name}@${resourceVersion} came twice`).toBe(false);
          versions.add(`${name}@${resourceVersion}`);
          expect(delivered.has(name)).toBe(event.type === 'modified');
          expect(Number(resourceVersion)).toBeGreaterThan(Number(delivered.get(name) ?? 0));
          delivered.set(name, resourceVersion);
        } else if (event.type === 'deleted') expect(delivered.delete(event.object.metadata.name ?? '')).toBe(true);
        else if (event.type === 'vanished') expect(delivered.delete(event.object.name)).toBe(true);
      }
    })();
    reading.catch(() => {});

    for (let i = 0; i < 150; i++) {
      const key = { namespace: 'default', name: `object-${Math.floor(random.next() * 10)}` };
      const exists = await plane.client.get(kinds.ConfigMap, key).catch(() => undefined);
      if (!exists) await plane.client.create(kinds.ConfigMap, { metadata: key });
      else if (random.next() < 0.3) await plane.client.delete(kinds.ConfigMap, key);
      else await plane.client.patch(kinds.ConfigMap, key, mergePatch({ data: { i: String(i) } }));
      if (random.next() < 0.1) await plane.server.storage.compact(plane.server.storage.revision);
      if (random.next() < 0.3) await clock.advance(random.next() * 3_000);
    }
    transport.heal();
    await clock.advance(120_000);
    const items = (await plane.client.list(kinds.ConfigMap, { namespace: 'default' }))
      .items as readonly DynamicObject[];
    controller.abort(new Error('done'));
    await expect(reading, transport.faults.join('\n')).rejects.toThrow('done');
    expect(Object.fromEntries(delivered)).toEqual(
      Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion])),
    );
    expect(transport.faults.length).toBeGreaterThan(10);
  });
});

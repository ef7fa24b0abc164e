import { kinds } from '@tektite/client';
import { type ControlPlane, startControlPlane, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineController } from '../reconcile/controller-definition.ts';
import { Manager } from '../reconcile/manager.ts';
import { statusPage } from './status-pages.ts';

const namespace = 'default';

describe('the pages of a process', () => {
  const clock = virtualClock();
  let plane: ControlPlane;
  let manager: Manager;
  let hang: boolean;

  beforeEach(async () => {
    hang = false;
    plane = await startControlPlane({ clock });
    manager = new Manager(plane.client, { graceMs: 0, timeoutMs: 10_000 });
    manager.add(
      defineController({
        name: 'maps',
        kind: kinds.ConfigMap,
        namespace,
        reconcile: () => (hang ? new Promise(() => undefined) : undefined),
      }),
    );
  });
  afterEach(async () => {
    await manager.stop();
    await plane.close();
  });

  const page = (url: string, trusted = true) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://localhost');
    return statusPage(manager, { path, query, trusted });
  };
  const map = (name: string) => clock.until(plane.client.create(kinds.ConfigMap, { metadata: { namespace, name } }));

  it('say that it lives but is not ready until the caches are complete', async () => {
    expect(await page('/readyz')).toMatchObject({ status: 500 });
    manager.start();
    expect(await page('/healthz')).toMatchObject({ status: 200, body: 'ok' });
    await clock.until(manager.synced());
    await clock.advance(0);
    expect(await page('/readyz')).toMatchObject({ status: 200, body: 'ok' });
    expect((await page('/readyz?verbose'))?.body).toMatch(
      /^\[\+\]controller\/maps running, 0 waiting\n\[\+\]informer\/.*ConfigMap.*\n$/,
    );
  });

  it('say what hangs, and call the process sick for it', async () => {
    manager.start();
    await clock.until(manager.synced());
    hang = true;
    await map('stuck');
    await clock.advance(60_000);
    const sick = await page('/healthz');
    expect(sick?.status).toBe(500);
    expect(sick?.body).toContain('[-]controller/maps');
    expect(sick?.body).toContain('these hang: default/stuck');
    expect(await page('/livez')).toMatchObject({ status: 500 });
  });

  it('show no names of objects to clients of other machines', async () => {
    manager.start();
    await clock.until(manager.synced());
    hang = true;
    await map('stuck');
    await clock.advance(60_000);
    expect(await page('/healthz?verbose', false)).toMatchObject({ status: 500, body: 'failed' });
    expect(await page('/explain?kind=ConfigMap&key=default/stuck', false)).toMatchObject({ status: 403 });
  });

  it('explain an object by any name of its kind, and answer with nothing for what they do not know', async () => {
    manager.start();
    await clock.until(manager.synced());
    await map('a');
    await clock.advance(1000);
    const records = async (query: string) => JSON.parse((await page(`/explain?${query}`))?.body ?? '').records;
    for (const kind of ['ConfigMap', 'configmaps', 'cm'])
      expect(await records(`kind=${kind}&key=default/a`)).toMatchObject([
        { controller: 'maps', outcome: 'done', causes: [{ kind: 'ConfigMap', object: 'default/a', change: 'added' }] },
      ]);
    expect(await records('kind=Pod&key=default/a')).toEqual([]);
    expect(await records('kind=ConfigMap&key=default/none')).toEqual([]);
    expect(await records('')).toEqual([]);
  });

  it('have metrics only where there are some, and nothing else', async () => {
    expect(await page('/metrics')).toBeUndefined();
    const subject = { health: () => manager.health(), explain: () => [], metrics: async () => 'a 1\n' };
    expect(await statusPage(subject, { path: '/metrics', query: new URLSearchParams(), trusted: false })).toEqual({
      status: 200,
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      body: 'a 1\n',
    });
    for (const path of ['/', '/healthz/', '/explain/x', '/../etc/passwd']) expect(await page(path)).toBeUndefined();
  });
});

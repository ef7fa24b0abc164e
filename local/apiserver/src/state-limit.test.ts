import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SegmentJournal } from './storage/journal/segment-journal.ts';
import { RevisionStore } from './storage/revision-store.ts';
import { TestServer } from './test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, size: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: 'x'.repeat(size) },
});

it('denies writes beyond the limit of objects, takes deletes, and starts again above it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-limit-'));
  const open = async () =>
    TestServer.start({
      storage: new RevisionStore({ journal: await SegmentJournal.open(folder), maxBytes: 2_000_000 }),
    });
  try {
    let server = await open();
    const created: string[] = [];
    let code = 201;
    for (let i = 0; i < 30 && code === 201; i++) {
      const answer = await server.send('POST', path, configMap(`c${i}`, 200_000));
      ({ code } = answer);
      if (code === 201) created.push(`c${i}`);
      else expect(answer.object).toMatchObject({ kind: 'Status', message: expect.stringContaining('delete some') });
    }
    expect(code).toBe(507);
    expect(created.length).toBeGreaterThan(5);
    expect((await server.send('PUT', `${path}/c0`, configMap('c0', 300_000))).code).toBe(507);
    expect((await server.send('GET', `${path}/c0`)).code).toBe(200);
    await server[Symbol.asyncDispose]();

    server = await open();
    expect((await server.send('POST', path, configMap('more', 10))).code).toBe(507);
    for (const name of created.slice(0, 3)) expect((await server.send('DELETE', `${path}/${name}`)).code).toBe(200);
    expect((await server.send('POST', path, configMap('more', 10))).code).toBe(201);
    await server[Symbol.asyncDispose]();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

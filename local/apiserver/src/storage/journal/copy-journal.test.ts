import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RevisionStore } from '../revision-store.ts';
import { copyJournal, readCopy } from './copy-journal.ts';
import { SegmentJournal } from './segment-journal.ts';
import { temporaryFolder } from './test-support.ts';

const object = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});

it('copies a journal while it is written, compacted and rewritten: all that was acknowledged, in whole batches', async () => {
  await using folder = await temporaryFolder();
  const from = join(folder.path, 'state');
  const journal = await SegmentJournal.open(from, { segmentBytes: 32 * 1024 });
  const store = new RevisionStore({ journal });
  let running = true;
  let acknowledged = 0;
  const writing = (async () => {
    for (let count = 0; running; count++) {
      const key = `key-${count % 20}`;
      const text = 'x'.repeat(500 + (count % 7));
      ({ revision: acknowledged } = await store.write(key, store.get(key)?.revision ?? 0, object(key, text)));
      if (count % 50 === 0) await store.compact(Math.max(0, store.revision - 20));
    }
  })();
  for (let copy = 0; copy < 10; copy++) {
    const least = acknowledged;
    const to = join(folder.path, `copy-${copy}`);
    const { revision } = await copyJournal(from, to);
    expect(revision).toBeGreaterThanOrEqual(least);
    const restored = new RevisionStore({ journal: await SegmentJournal.open(to) });
    expect(restored.revision).toBe(revision);
    await restored.close();
  }
  running = false;
  await writing;
  await store.close();
});

it('refuses a copy that is damaged', async () => {
  await using folder = await temporaryFolder();
  const store = new RevisionStore({ journal: await SegmentJournal.open(join(folder.path, 'state')) });
  for (const name of ['a', 'b', 'c']) await store.write(name, 0, object(name, 'x'));
  await store.close();
  const to = join(folder.path, 'copy');
  expect(await copyJournal(join(folder.path, 'state'), to)).toEqual({ revision: 3, objects: 3 });
  const [file = ''] = readdirSync(to).filter((name) => name.endsWith('.log'));
  const bytes = readFileSync(join(to, file));
  bytes[bytes.length - 400] = (bytes[bytes.length - 400] ?? 0) ^ 1;
  writeFileSync(join(to, file), bytes);
  expect(() => readCopy(to)).toThrow('is not what was written');
});

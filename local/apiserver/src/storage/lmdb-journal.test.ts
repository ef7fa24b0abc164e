import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, seededRandom } from '@tektite/meta';
import { beforeAll, describe, expect, it } from 'vitest';
import { FolderError } from './folder-error.ts';
import { LmdbJournal } from './lmdb-journal.ts';
import { RevisionStore } from './revision-store.ts';
import { object } from './storage.cases.ts';
import { bundleProgram, LineProcess, temporaryFolder } from './test-support.ts';

const open = async (folder: string) => {
  const journal = await LmdbJournal.open(folder);
  try {
    return new RevisionStore({ journal });
  } catch (error) {
    await journal.close();
    throw error;
  }
};

let programs: Awaited<ReturnType<typeof temporaryFolder>>;
let holder: string;
let writer: string;

beforeAll(async () => {
  programs = await temporaryFolder();
  holder = await bundleProgram(
    `import { LmdbJournal } from './lmdb-journal.ts';
     try {
       await LmdbJournal.open(process.argv[2]);
       console.log('has it');
       setInterval(() => {}, 1000);
     } catch (error) {
       console.log(error.message);
     }`,
    join(programs.path, 'holder.mjs'),
  );
  // Keeps eight writers busy, and prints a line for every write that was acknowledged.
  writer = await bundleProgram(
    `import { writeSync } from 'node:fs';
     import { LmdbJournal } from './lmdb-journal.ts';
     import { RevisionStore } from './revision-store.ts';
     const storage = new RevisionStore({ journal: await LmdbJournal.open(process.argv[2]), keepRevisions: 300 });
     writeSync(1, 'start ' + storage.revision + '\\n');
     const write = async (n) => {
       for (let i = 0; ; i++) {
         const key = '/registry/configmaps/w' + n + '/' + (i % 20);
         const remove = i % 7 === 6;
         const current = storage.latest(key)?.revision ?? 0;
         if (remove && current === 0) continue;
         const data = { mark: process.pid + '-' + n + '-' + i, fill: 'x'.repeat((i * 37) % 6000) };
         const value = remove ? undefined : { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data };
         try {
           const event = await storage.write(key, current, value);
           writeSync(1, [event.revision, key, remove ? '-' : data.mark].join(' ') + '\\n');
         } catch (error) {
           writeSync(1, 'failed ' + error.message + ': ' + error.cause?.message + '\\n');
           return;
         }
       }
     };
     await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(write));
     writeSync(1, 'visible ' + storage.revision + '\\n');
     await storage.close();`,
    join(programs.path, 'writer.mjs'),
  );
  return () => programs[Symbol.asyncDispose]();
});

describe('a folder', () => {
  it('belongs to one process; a second one is told which', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const first = new LineProcess(holder, [folder]);
    await first.printed(1);
    expect(first.lines).toEqual(['has it']);
    await expect(LmdbJournal.open(folder)).rejects.toThrow(
      `${folder} is in use by process ${first.child.pid}. Stop that one first`,
    );
    await first.kill('SIGKILL');
    // What it left behind is in nobody's way.
    expect(existsSync(join(folder, 'lock'))).toBe(true);
    await (await open(folder)).close();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('goes to exactly one of several that come at the same time, after one that died', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    for (let round = 0; round < 3; round++) {
      const rivals = Array.from({ length: 4 }, () => new LineProcess(holder, [folder]));
      await Promise.all(rivals.map((rival) => rival.printed(1)));
      expect(rivals.filter(({ lines }) => lines[0] === 'has it')).toHaveLength(1);
      for (const { lines } of rivals.filter((rival) => rival.lines[0] !== 'has it'))
        expect(lines[0]).toContain('is in use by process');
      for (const rival of rivals) await rival.kill('SIGKILL');
    }
  });

  it('is taken over from a process that died, also when its number is in use again', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    for (const stale of [
      JSON.stringify({ pid: spawnSync('true').pid, started: '1' }),
      JSON.stringify({ pid: process.pid, started: '1' }),
      '{"pid":"many"}',
      '',
    ]) {
      writeFileSync(join(folder, 'lock'), stale);
      await (await open(folder)).close();
    }
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('of another format is refused, and left as it is', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const { open: openLmdb } = await import('lmdb');
    const root = openLmdb({ path: join(folder, 'journal.mdb'), noSubdir: true, encoding: 'json' });
    await root.put('format', 'tektite-journal-99');
    await root.close();
    const before = readFileSync(join(folder, 'journal.mdb'));
    await expect(open(folder)).rejects.toThrow(
      /was written by another version of tektite \(tektite-journal-99, this one reads tektite-journal-\d+\)/,
    );
    expect(readFileSync(join(folder, 'journal.mdb')).equals(before)).toBe(true);
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });
});

describe('a journal that was damaged', () => {
  let whole: Awaited<ReturnType<typeof temporaryFolder>>;
  let size: number;

  beforeAll(async () => {
    whole = await temporaryFolder();
    const storage = await open(whole.path);
    const writes = Array.from({ length: 400 }, (_, i) =>
      storage.write(`/registry/configmaps/x/${i}`, 0, object(`o${i}`, { fill: 'y'.repeat(i % 9 === 0 ? 9000 : 400) })),
    );
    await Promise.all(writes);
    await storage.compact(10);
    await storage.close();
    size = statSync(join(whole.path, 'journal.mdb')).size;
    return () => whole[Symbol.asyncDispose]();
  });

  async function damage(change: (file: string) => void): Promise<unknown> {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    cpSync(whole.path, folder, { recursive: true });
    const file = join(folder, 'journal.mdb');
    change(file);
    let found: unknown;
    try {
      const storage = await open(folder);
      found = storage.count('/registry/');
      await storage.close();
    } catch (error) {
      found = error;
      // It is not in the way of a second attempt: that says the same.
      await expect(open(folder)).rejects.toThrow((error as Error).message);
    }
    return found;
  }

  function overwrite(file: string, at: number, bytes: Uint8Array): void {
    const content = readFileSync(file);
    content.set(bytes.subarray(0, content.length - at), at);
    writeFileSync(file, content);
  }

  it('is whole before', async () => {
    expect(await damage(() => {})).toBe(400);
  });

  it.each([
    ['cut to nothing', (file: string) => truncateSync(file, 0)],
    ['gone', (file: string) => rmSync(file)],
    ['cut in its head', (file: string) => truncateSync(file, 100)],
    ['cut after its head', (file: string) => truncateSync(file, 8192)],
    ['cut in the middle', (file: string) => truncateSync(file, Math.floor(size / 2))],
    ['cut by a little', (file: string) => truncateSync(file, size - 5000)],
    ['another kind of file', (file: string) => writeFileSync(file, 'hello\n'.repeat(5000))],
    ['zeroed in its head', (file: string) => overwrite(file, 0, new Uint8Array(8192))],
    ['overwritten with noise', (file: string) => writeFileSync(file, seededRandom(1).bytes(size))],
    ['overwritten with noise behind its head', (file: string) => overwrite(file, 8192, seededRandom(2).bytes(size))],
  ])('is refused when it is %s, with the name of the file and the way out', async (_, change) => {
    const error = await damage(change);
    expect(error).toBeInstanceOf(FolderError);
    expect((error as Error).message).toMatch(
      /journal\.mdb is damaged: .*\. Put a copy from a backup in its place, or start empty by moving its folder away\.$/,
    );
  });

  it('is refused or read in full when some of its bytes are not what was written', async () => {
    const random: Random = seededRandom(20260301);
    const upTo = (limit: number) => Math.floor(random.next() * limit);
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const found = await damage((file) => {
        for (let spot = 0; spot <= upTo(3); spot++) {
          // The heads of pages are the delicate part.
          const at = round % 2 ? upTo(size / 4096) * 4096 + upTo(60) : upTo(size);
          overwrite(file, at, random.bytes(1 + upTo(40)));
        }
      });
      if (found instanceof FolderError) refused++;
      else expect(found).toBe(400);
    }
    expect(refused).toBeGreaterThan(30);
  });
});

describe('kill -9', () => {
  it('loses no acknowledged write, whenever it comes, and the folder opens again', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const random = seededRandom(9);
    const last = new Map<string, { readonly revision: number; readonly mark: string }>();
    let highest = 0;
    for (let round = 0; round < 10; round++) {
      const child = new LineProcess(writer, [folder]);
      await child.printed(1 + Math.floor(random.next() ** 2 * 600));
      await child.kill('SIGKILL');
      const [start = '', ...acknowledged] = child.lines;
      expect(child.errors).toEqual([]);
      // It began where the one before it ended, or later: a write may be durable and its writer dead before he knows.
      expect(Number(start.split(' ')[1])).toBeGreaterThanOrEqual(highest);
      for (const text of acknowledged) {
        const [revision, key = '', mark = ''] = text.split(' ');
        expect(Number(revision)).toBeGreaterThan(highest - 8);
        highest = Math.max(highest, Number(revision));
        if ((last.get(key)?.revision ?? 0) < Number(revision)) last.set(key, { revision: Number(revision), mark });
      }
    }
    expect(highest).toBeGreaterThan(100);

    const storage = await open(folder);
    expect(storage.revision).toBeGreaterThanOrEqual(highest);
    const revisions: number[] = [];
    storage.watch('/registry/', storage.compactedRevision, ({ revision }) => revisions.push(revision));
    expect(revisions).toEqual(revisions.map((_, index) => storage.compactedRevision + 1 + index));
    expect(revisions.at(-1)).toBe(storage.revision);
    for (const [key, { revision, mark }] of last) {
      const entry = storage.get(key);
      // Only writes that nobody was told of may have come after.
      if (entry && entry.revision > revision) expect(entry.revision).toBeGreaterThan(highest - 8);
      else if (mark === '-') expect(entry).toBeUndefined();
      else expect((entry?.value as unknown as { data: { mark: string } })?.data.mark).toBe(mark);
    }
    await storage.close();
  }, 60_000);
});

describe('a disk that takes no more', () => {
  it('does not bring back what it took and said it had not', async () => {
    await using temporary = await temporaryFolder();
    const record = (revision: number, mark: string) => {
      const value = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { mark } };
      return { key: `/registry/configmaps/default/${mark}`, revision, deleted: false, value };
    };
    const journal = await LmdbJournal.open(temporary.path);
    await journal.append([record(1, 'one')]);
    await journal.append([record(2, 'lost'), record(3, 'lost too')]);
    // The storage was told that this failed, and goes on from the first.
    await journal.append([record(2, 'two')]);
    await journal.close();
    const again = await LmdbJournal.open(temporary.path);
    const { records, revision } = again.load();
    expect([...records].map(({ key }) => key.split('/').at(-1))).toEqual(['one', 'two']);
    expect(revision).toBe(2);
    await again.close();
  });

  it('fails writes, shows none of them, and takes more when there is room again', async () => {
    await using temporary = await temporaryFolder();
    let free = 1024 ** 3;
    const storage = new RevisionStore({ journal: await LmdbJournal.open(temporary.path, () => free) });
    const write = (name: string) => {
      const value = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { fill: 'x'.repeat(100_000) } };
      return storage.write(`/registry/configmaps/default/${name}`, 0, value);
    };
    await Promise.all(['a', 'b', 'c'].map(write));
    free = 4.2 * 1024 * 1024;
    const full = await Promise.allSettled(['d', 'e', 'f'].map(write));
    for (const { status, reason } of full as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({
        message: expect.stringMatching(/could not be written to disk/) as string,
        cause: { message: 'ENOSPC: no space left on device' },
      });
    }
    expect([storage.revision, storage.count('/registry/')]).toEqual([3, 3]);
    free = 1024 ** 3;
    await write('g');
    await storage.close();
    const again = await open(temporary.path);
    expect(again.list('/registry/').entries.map(({ value }) => value.metadata.name)).toEqual(['a', 'b', 'c', 'g']);
    expect(again.revision).toBe(4);
    await again.close();
  });
});

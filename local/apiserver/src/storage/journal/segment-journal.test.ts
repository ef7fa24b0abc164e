import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Random, seededRandom } from '@tektite/meta';
import { beforeAll, describe, expect, it } from 'vitest';
import { RevisionStore, type RevisionStoreOptions } from '../revision-store.ts';
import { object } from '../storage.cases.ts';
import { FolderError } from './folder-error.ts';
import { headerLength } from './segment-format.ts';
import { SegmentJournal, type SegmentJournalOptions } from './segment-journal.ts';
import { bundleProgram, LineProcess, temporaryFolder } from './test-support.ts';

const small: SegmentJournalOptions = { segmentBytes: 64 * 1024, reserveBytes: 64 * 1024 };

const open = async (folder: string, options = small, store: RevisionStoreOptions = {}) => {
  const journal = await SegmentJournal.open(folder, options);
  try {
    return new RevisionStore({ journal, ...store });
  } catch (error) {
    await journal.close();
    throw error;
  }
};

const segmentsOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.log'));
const sizeOf = (folder: string) => segmentsOf(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const configMap = (name: string, bytes: number) => object(name, { data: { fill: 'x'.repeat(bytes) } });
const keyOf = (name: string) => `/registry/configmaps/default/${name}`;

let programs: Awaited<ReturnType<typeof temporaryFolder>>;
let holder: string;
let writer: string;

beforeAll(async () => {
  programs = await temporaryFolder();
  holder = await bundleProgram(
    `import { SegmentJournal } from './segment-journal.ts';
     try {
       await SegmentJournal.open(process.argv[2]);
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
     import { SegmentJournal } from './segment-journal.ts';
     import { RevisionStore } from '../revision-store.ts';
     const journal = await SegmentJournal.open(process.argv[2], { segmentBytes: 64 * 1024, reserveBytes: 64 * 1024 });
     const storage = new RevisionStore({ journal, keepRevisions: 300 });
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
  it('belongs to one process; the error of a second one names it', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const first = new LineProcess(holder, [folder]);
    await first.printed(1);
    expect(first.lines).toEqual(['has it']);
    await expect(SegmentJournal.open(folder)).rejects.toThrow(
      `${folder} is in use by process ${first.child.pid}. Stop that one first`,
    );
    await first.kill('SIGKILL');
    await (await open(folder)).close();
  });

  it('goes to exactly one of several that start at the same time, after one that was killed', async () => {
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

  // Containers on one volume: each is process 1 in its PID namespace, and sees none of the others.
  const canUnshare = spawnSync('unshare', ['--user', '--map-root-user', '--pid', '--fork', 'true']).status === 0;
  it.runIf(canUnshare)('belongs to one process across PID namespaces, in which all have the same PID', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const namespace = 'exec unshare --user --map-root-user --pid --fork --kill-child "$0" "$@";';
    const first = new LineProcess(holder, [folder], namespace);
    await first.printed(1);
    expect(first.lines).toEqual(['has it']);
    const second = new LineProcess(holder, [folder], namespace);
    await second.ended;
    expect(second.lines).toEqual([expect.stringContaining('is in use by process')]);
    await first.kill('SIGKILL');
    await (await open(folder)).close();
  });

  it('is free when its process is a zombie that was not reaped', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    // The shell does not wait for its child, which is killed and stays a zombie.
    const script = `${process.execPath} ${holder} ${folder} & echo $!; exec sleep 60`;
    const parent = new LineProcess('', [], `exec sh -c '${script}' #`);
    await parent.printed(2);
    const pid = Number(parent.lines.find((line) => /^\d+$/.test(line)));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    await (await open(folder)).close();
    await parent.kill('SIGKILL');
  });

  it('that was deleted, or locked by another process since, takes no more writes', async () => {
    await using temporary = await temporaryFolder();
    const folder = join(temporary.path, 'state');
    const storage = await open(folder);
    await storage.write(keyOf('a'), 0, object('a'));
    renameSync(join(folder, 'lock'), join(folder, 'lock.old'));
    writeFileSync(join(folder, 'lock'), '');
    await expect(storage.write(keyOf('b'), 0, object('b'))).rejects.toThrow(/the lock of .*state is lost/);
    await expect(storage.write(keyOf('a'), 1, undefined)).rejects.toThrow(/the lock of .*state is lost/);
    expect(storage.problem).toMatchObject({ kind: 'lost' });
    expect(storage.get(keyOf('a'))?.revision).toBe(1);
    await storage.close();
  });

  it.each([
    ['an LMDB file', 'journal.mdb', ''],
    ['a format of the future', 'format', 'tektite-journal-99\n'],
  ])('with %s is refused, and left as it is', async (_, name, content) => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    writeFileSync(join(folder, name), content);
    await expect(open(folder)).rejects.toThrow(
      /was written by another version of tektite \(tektite-journal-\d+, this one reads tektite-journal-3\)/,
    );
    expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
    expect(segmentsOf(folder)).toEqual([]);
  });
});

describe('a journal that was damaged', () => {
  let whole: Awaited<ReturnType<typeof temporaryFolder>>;
  let names: string[];

  beforeAll(async () => {
    whole = await temporaryFolder();
    const storage = await open(whole.path);
    for (let i = 0; i < 400; i += 20) {
      await storage.compact(Math.min(10, i));
      await Promise.all(
        Array.from({ length: 20 }, (_, j) =>
          storage.write(`/registry/configmaps/x/${i + j}`, 0, configMap(`o${i + j}`, (i + j) % 9 === 0 ? 9000 : 400)),
        ),
      );
    }
    await storage.close();
    names = segmentsOf(whole.path);
    expect(names.length).toBeGreaterThan(5);
    return () => whole[Symbol.asyncDispose]();
  });

  async function damage(change: (folder: string) => void): Promise<unknown> {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    cpSync(whole.path, folder, { recursive: true });
    change(folder);
    try {
      const storage = await open(folder);
      const found = storage.count('/registry/');
      await storage.close();
      return found;
    } catch (error) {
      // It is not in the way of a second attempt, which fails the same way.
      await expect(open(folder)).rejects.toThrow((error as Error).message);
      return error;
    }
  }

  const overwrite = (file: string, at: number, bytes: Uint8Array) => {
    const content = readFileSync(file);
    content.set(bytes.subarray(0, content.length - at), at);
    writeFileSync(file, content);
  };

  it('is whole before', async () => {
    expect(await damage(() => {})).toBe(400);
  });

  const which = { first: () => names[0], middle: () => names[3], newest: () => names.at(-1) };
  const changes: readonly (readonly [string, (file: string) => void])[] = [
    ['cut to nothing', (file) => truncateSync(file, 0)],
    ['deleted', (file) => rmSync(file)],
    ['cut in its header', (file) => truncateSync(file, 40)],
    ['cut after its header', (file) => truncateSync(file, 72)],
    ['cut by a byte', (file) => truncateSync(file, statSync(file).size - 1)],
    ['another kind of file', (file) => writeFileSync(file, 'hello\n'.repeat(5000))],
    ['zeroed in its header', (file) => overwrite(file, 0, new Uint8Array(72))],
    ['zeroed behind its header', (file) => overwrite(file, 72, new Uint8Array(200))],
    ['noise', (file) => writeFileSync(file, seededRandom(1).bytes(statSync(file).size))],
  ];
  const cases = Object.keys(which).flatMap((segment) =>
    changes.map(([what, change]) => [segment as keyof typeof which, what, change] as const),
  );
  it.each(cases)('is refused when its %s segment is %s, with the name of a file and the way out', async (...args) => {
    const [segment, , change] = args;
    const error = await damage((folder) => change(join(folder, which[segment]() as string)));
    expect(error).toBeInstanceOf(FolderError);
    expect((error as Error).message).toMatch(
      /\d{16}\.log is damaged: .*\. Restore the folder from a backup, or start empty by moving it away\.$/,
    );
  });

  it('is refused when two segments are swapped, or one is of another journal', async () => {
    const swapped = await damage((folder) => {
      const [a, b] = [join(folder, names[1] as string), join(folder, names[2] as string)];
      renameSync(a, `${a}.x`);
      renameSync(b, a);
      renameSync(`${a}.x`, b);
    });
    expect(swapped).toBeInstanceOf(FolderError);
    await using other = await temporaryFolder();
    const storage = await open(other.path);
    await storage.write(keyOf('a'), 0, object('a'));
    await storage.close();
    const foreign = await damage((folder) =>
      cpSync(join(other.path, names[0] as string), join(folder, names[0] as string)),
    );
    expect(foreign).toBeInstanceOf(FolderError);
  });

  it('is refused or read in full when any of its blocks is flipped, whichever file it is in', async () => {
    const random: Random = seededRandom(20260301);
    const upTo = (limit: number) => Math.floor(random.next() * limit);
    const files = [...names, 'acknowledged'];
    let refused = 0;
    for (let round = 0; round < 150; round++) {
      const found = await damage((folder) => {
        const file = join(folder, files[upTo(files.length)] as string);
        const size = statSync(file).size;
        overwrite(file, upTo(size), random.bytes(1 + upTo(40)));
      });
      if (found instanceof FolderError) refused++;
      else expect(found).toBe(400);
    }
    expect(refused).toBeGreaterThan(100);
  }, 120_000);

  it('is repaired when only its last, unacknowledged write is incomplete, and says so', async () => {
    await using temporary = await temporaryFolder();
    cpSync(whole.path, temporary.path, { recursive: true });
    const newest = join(temporary.path, names.at(-1) as string);
    const before = statSync(newest).size;
    writeFileSync(newest, Buffer.concat([readFileSync(newest), Buffer.from([0, 0, 4, 0, 1, 2, 3, 4, 1, 0, 0])]));
    const notices: string[] = [];
    const storage = await open(temporary.path, { ...small, onNotice: (text) => notices.push(text) });
    expect(storage.count('/registry/')).toBe(400);
    await storage.close();
    expect(notices).toEqual([`${newest}: cut 11 bytes of a write that was interrupted before it was acknowledged`]);
    expect(statSync(newest).size).toBe(before);
  });
});

describe('kill -9', () => {
  it('loses no acknowledged write, whenever it comes, and the folder opens again', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const random = seededRandom(9);
    const last = new Map<string, { readonly revision: number; readonly mark: string }>();
    let highest = 0;
    const rounds = Number(process.env.TEKTITE_KILLS ?? 12);
    for (let round = 0; round < rounds; round++) {
      const child = new LineProcess(writer, [folder]);
      await child.printed(1 + Math.floor(random.next() ** 2 * 900));
      await child.kill('SIGKILL');
      const [start = '', ...acknowledged] = child.lines;
      expect(child.errors).toEqual([]);
      // It starts where the one before it ended, or later: a write may be durable and its process dead before it knows.
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
    /** The latest event of each key: a delete that was never acknowledged is there too. */
    const latest = new Map<string, number>();
    storage.watch('/registry/', storage.compactedRevision, ({ key, revision }) => {
      revisions.push(revision);
      latest.set(key, revision);
    });
    expect(revisions).toEqual(revisions.map((_, index) => storage.compactedRevision + 1 + index));
    expect(revisions.at(-1)).toBe(storage.revision);
    for (const [key, { revision, mark }] of last) {
      const entry = storage.get(key);
      const changed = latest.get(key) ?? 0;
      // Only writes that were never acknowledged may have come after.
      if (changed > revision) expect(changed).toBeGreaterThan(highest - 8);
      else if (mark === '-') expect(entry).toBeUndefined();
      else expect((entry?.value as unknown as { data: { mark: string } })?.data.mark).toBe(mark);
    }
    await storage.close();
    // The past is bounded and the objects are few: garbage of all lives was returned.
    expect(sizeOf(folder)).toBeLessThan(8 * 1024 ** 2);
  }, 600_000);
});

it('opens a folder whose format a crash kept from the disk', async () => {
  await using temporary = await temporaryFolder();
  const storage = await open(temporary.path);
  await storage.write(keyOf('a'), 0, configMap('a', 10));
  await storage.close();
  writeFileSync(join(temporary.path, 'format'), '');
  const again = await open(temporary.path);
  expect(again.get(keyOf('a'))?.revision).toBe(1);
  await again.close();
  expect(readFileSync(join(temporary.path, 'format'), 'utf8')).toBe('tektite-journal-3\n');
});

describe('space', () => {
  it('is returned while serving: patches of one large object leave a small journal, and a start that needs little', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const limits = { maxHistoryBytes: 1024 ** 2 };
    const options = { ...small, segmentBytes: 512 * 1024 };
    const storage = await open(folder, options, limits);
    let revision = 0;
    for (let i = 0; i < 300; i++)
      ({ revision } = await storage.write(keyOf('a'), revision, configMap(`a${i}`, 200_000)));
    await storage.close();
    // 60 MB were written.
    expect(sizeOf(folder)).toBeLessThan(5 * 1024 ** 2);
    const again = await open(folder, options, limits);
    expect(again.get(keyOf('a'))?.value.metadata.name).toBe('a299');
    expect(again.revision).toBe(300);
    expect(again.compactedRevision).toBeGreaterThan(280);
    await again.close();
  });

  it('is returned when everything is deleted; a delete takes no copy of its object', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    const storage = await open(folder);
    for (let i = 0; i < 100; i++) await storage.write(keyOf(`c${i}`), 0, configMap(`c${i}`, 20_000));
    const full = sizeOf(folder);
    for (let i = 0; i < 100; i++) await storage.write(keyOf(`c${i}`), i + 1, undefined);
    expect(sizeOf(folder) - full).toBeLessThan(100 * 200);
    const seen: string[] = [];
    using _ = storage.watch('/registry/', 199, ({ value }) => seen.push(value.metadata.name as string));
    expect(seen).toEqual(['c99']);
    await storage.compact(storage.revision);
    await storage.close();
    expect(sizeOf(folder)).toBeLessThan(100_000);
    const again = await open(folder);
    expect([again.count('/registry/'), again.revision, again.compactedRevision]).toEqual([0, 200, 200]);
    await again.close();
  });

  it('keeps the object of a delete for watchers that resume after a restart', async () => {
    await using temporary = await temporaryFolder();
    const storage = await open(temporary.path);
    await storage.write(keyOf('a'), 0, object('a', { mark: 'last' }));
    await storage.write(keyOf('a'), 1, undefined);
    await storage.close();
    const again = await open(temporary.path);
    const seen: unknown[] = [];
    using _ = again.watch('/registry/', 1, ({ value, deleted }) => seen.push([deleted, value]));
    expect(seen).toEqual([[true, expect.objectContaining({ mark: 'last' })]]);
    expect(seen).toMatchObject([[true, { metadata: { name: 'a', resourceVersion: '2' } }]]);
    await again.close();
  });
});

/** A file system of a few megabytes, which can be filled. Mounting needs root. */
const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

describe.runIf(canMount)('a disk that is full', () => {
  async function onSmallDisk(test: (folder: string, fill: () => void, free: () => void) => Promise<void>) {
    await using temporary = await temporaryFolder();
    const disk = join(temporary.path, 'disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status).toBe(0);
    const filler = join(disk, 'filler');
    try {
      await test(
        join(disk, 'state'),
        () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']),
        () => rmSync(filler, { force: true }),
      );
    } finally {
      spawnSync('umount', [disk]);
    }
  }

  it('denies writes by name, accepts deletes, and takes writes again when there is space, without a restart', async () => {
    await onSmallDisk(async (folder, fill, free) => {
      const notices: string[] = [];
      const storage = await open(folder, { ...small, onNotice: (text) => notices.push(text) });
      for (const name of ['a', 'b', 'c']) await storage.write(keyOf(name), 0, configMap(name, 20_000));
      await expect.poll(() => existsSync(join(folder, 'reserve'))).toBe(true);
      fill();
      const denied = `no space left on ${folder}`;
      await expect(storage.write(keyOf('d'), 0, configMap('d', 200_000))).rejects.toThrow(denied);
      expect(storage.problem).toEqual({ kind: 'full', message: denied });
      await expect(storage.write(keyOf('e'), 0, object('e'))).rejects.toThrow(denied);
      expect(storage.revision).toBe(3);
      await storage.write(keyOf('a'), 1, undefined);
      const deleting = object('b', { metadata: { name: 'b', deletionTimestamp: '2026-01-01T00:00:00Z' } });
      await storage.write(keyOf('b'), 2, deleting);
      expect(storage.count('/registry/')).toBe(2);
      free();
      await expect
        .poll(
          () =>
            storage.write(keyOf('f'), 0, object('f')).then(
              () => 'written',
              () => 'denied',
            ),
          { interval: 200 },
        )
        .toBe('written');
      expect(storage.problem).toBeUndefined();
      expect(notices.at(-1)).toBe(`there is space on ${folder} again`);
      await storage.close();
      const again = await open(folder);
      expect(again.list('/registry/').entries.map(({ value }) => value.metadata.name)).toEqual(['b', 'c', 'f']);
      await again.close();
    });
  });

  it('can be started on with no byte free, and be emptied by deletes', async () => {
    await onSmallDisk(async (folder, fill) => {
      const storage = await open(folder);
      for (let i = 0; i < 20; i++) await storage.write(keyOf(`c${i}`), 0, configMap(`c${i}`, 50_000));
      await storage.close();
      fill();
      const full = await open(folder);
      expect(full.count('/registry/')).toBe(20);
      await expect(full.write(keyOf('x'), 0, object('x'))).rejects.toThrow('no space left on');
      for (let i = 0; i < 20; i++) await full.write(keyOf(`c${i}`), i + 1, undefined);
      await expect
        .poll(
          () =>
            full.write(keyOf('x'), 0, object('x')).then(
              () => 'written',
              () => 'denied',
            ),
          { interval: 200 },
        )
        .toBe('written');
      await full.compact(full.revision);
      await full.close();
      expect(sizeOf(folder)).toBeLessThan(300_000);
    });
  });
});

describe('a write that the disk took and reported as failed', () => {
  it('does not come back: a segment ends where the next one says, whatever follows', async () => {
    await using temporary = await temporaryFolder();
    const folder = temporary.path;
    // Every append starts a new segment.
    const options = { ...small, segmentBytes: 100 };
    const storage = await open(folder, options);
    for (const name of ['one', 'two']) await storage.write(keyOf(name), 0, object(name));
    await storage.close();
    const [first = ''] = segmentsOf(folder).map((name) => join(folder, name));
    const bytes = readFileSync(first);
    // A valid frame behind the end: what a failed append left.
    writeFileSync(first, Buffer.concat([bytes, bytes.subarray(headerLength)]));
    const journal = await SegmentJournal.open(folder, options);
    const records: string[] = [];
    journal.load({ record: ({ key }) => records.push(key), compacted: () => {} });
    await journal.close();
    expect(records).toEqual([keyOf('one'), keyOf('two')]);
  });
});

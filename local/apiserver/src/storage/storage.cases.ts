import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RevisionCompactedError, RevisionMismatchError, type Storage, type StorageEvent } from './storage.ts';

/** An implementation of {@link Storage} under test. */
export interface StorageUnderTest {
  readonly storage: Storage;
  /** Closes and opens again, for those that keep their state. */
  readonly reopen?: () => Promise<Storage>;
  readonly dispose: () => Promise<void>;
}

export function object(name: string, content: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...content } as KubeObject;
}

/** An event in one line: `3 put a` or `4 del a`. */
export function line({ revision, deleted, value }: StorageEvent): string {
  return `${revision} ${deleted ? 'del' : 'put'} ${value.metadata.name}`;
}

const a = '/registry/configmaps/default/a';
const b = '/registry/configmaps/default/b';
const c = '/registry/configmaps/other/c';
const all = '/registry/configmaps/';

/** The contract of every storage. */
export function storageCases(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let subject: StorageUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      subject = await open();
      storage = subject.storage;
    });

    afterEach(() => subject.dispose());

    const put = (key: string, content: Record<string, unknown> = {}) =>
      storage.write(key, storage.latest(key)?.revision ?? 0, object(key.split('/').at(-1) as string, content));
    const remove = (key: string) => storage.write(key, storage.latest(key)?.revision ?? 0, undefined);
    const keys = (prefix: string, revision?: number) =>
      storage.list(prefix, revision === undefined ? {} : { revision }).entries.map(({ key }) => key);

    it('starts at revision 0 with nothing in it', () => {
      expect(storage.revision).toBe(0);
      expect(storage.list('').entries).toEqual([]);
      expect(storage.get(a)).toBeUndefined();
      expect(storage.count(all)).toBe(0);
    });

    it('gives every write the next revision and stamps the object with it', async () => {
      const first = await put(a);
      const second = await put(b);
      const third = await remove(a);
      expect([first, second, third].map(line)).toEqual(['1 put a', '2 put b', '3 del a']);
      expect(storage.get(b)?.value.metadata.resourceVersion).toBe('2');
      expect(third.value.metadata.resourceVersion).toBe('3');
      expect(third.previous?.metadata.resourceVersion).toBe('1');
      expect(storage.revision).toBe(3);
    });

    it('rejects a write that is not based on the newest state', async () => {
      await put(a);
      await expect(storage.write(a, 0, object('a'))).rejects.toBeInstanceOf(RevisionMismatchError);
      await expect(storage.write(a, 7, object('a'))).rejects.toMatchObject({ actual: 1 });
      await expect(storage.write(b, 1, object('b'))).rejects.toBeInstanceOf(RevisionMismatchError);
      await expect(storage.write(b, 0, undefined)).rejects.toBeInstanceOf(RevisionMismatchError);
      expect(storage.revision).toBe(1);
    });

    it('lets one of two writers win when both have seen the same state', async () => {
      await put(a);
      const results = await Promise.allSettled([
        storage.write(a, 1, object('a', { data: { by: 'x' } })),
        storage.write(a, 1, object('a', { data: { by: 'y' } })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(storage.get(a)?.value).toMatchObject({ data: { by: 'x' } });
    });

    it('compares with writes that are still under way', async () => {
      const first = storage.write(a, 0, object('a'));
      expect(storage.latest(a)?.revision).toBe(1);
      const second = storage.write(a, 1, object('a', { data: { n: '2' } }));
      const gone = storage.write(a, 2, undefined);
      expect(storage.latest(a)).toBeUndefined();
      const again = storage.write(a, 0, object('a'));
      expect((await Promise.all([first, second, gone, again])).map(line)).toEqual([
        '1 put a',
        '2 put a',
        '3 del a',
        '4 put a',
      ]);
    });

    it('returns immutable values', async () => {
      const { value } = await put(a, { data: { deep: 'x' } });
      expect(Object.isFrozen(value)).toBe(true);
      expect(Object.isFrozen((value as unknown as { data: object }).data)).toBe(true);
      expect(Object.isFrozen(storage.list(all).entries[0]?.value.metadata)).toBe(true);
    });

    it('lists in the order of keys, by prefix', async () => {
      await put(c);
      await put(b);
      await put(a);
      expect(keys(all)).toEqual([a, b, c]);
      expect(keys('/registry/configmaps/default/')).toEqual([a, b]);
      expect(keys('/registry/secrets/')).toEqual([]);
      expect(storage.count('/registry/configmaps/default/')).toBe(2);
    });

    it('keeps keys with any characters apart', async () => {
      const odd = ['/registry/roles/x/a\nb', '/registry/roles/x/a', '/registry/roles/x/ü:*', '/registry/roles/x/a b'];
      for (const key of odd) await put(key);
      const reopened = (await subject.reopen?.()) ?? storage;
      expect(reopened.list('/registry/roles/').entries.map(({ key }) => key)).toEqual([...odd].sort());
    });

    it('shows the past as it was', async () => {
      await put(a, { data: { n: '1' } });
      await put(b);
      await put(a, { data: { n: '3' } });
      await remove(b);
      expect(keys(all, 1)).toEqual([a]);
      expect(keys(all, 2)).toEqual([a, b]);
      expect(keys(all, 4)).toEqual([a]);
      expect(storage.list(all, { revision: 2 }).entries[0]?.value).toMatchObject({ data: { n: '1' } });
      expect(storage.list(all, { revision: 2 }).revision).toBe(2);
    });

    it('never says that a picture is newer than what there is', async () => {
      await put(a);
      expect(storage.list(all, { revision: 99 }).revision).toBe(1);
    });

    it('pages through a list, and returns the continuation and the remaining count', async () => {
      for (const key of [a, b, c]) await put(key);
      const first = storage.list(all, { limit: 2 });
      expect(first).toMatchObject({ next: c, remaining: 1, revision: 3 });
      await put('/registry/configmaps/default/aa');
      const rest = storage.list(all, { limit: 2, from: first.next as string, revision: first.revision });
      expect(rest.entries.map(({ key }) => key)).toEqual([c]);
      expect(rest.next).toBeUndefined();
      expect(rest.remaining).toBeUndefined();
      expect(storage.list(all, { limit: 4 }).next).toBeUndefined();
    });

    it('counts towards a limit only what a filter accepts', async () => {
      for (const name of ['p', 'q', 'r', 's'])
        await put(`${all}d/${name}`, { data: { keep: name === 'q' || name === 's' ? 'y' : 'n' } });
      const filter = (value: KubeObject) => (value as unknown as { data: { keep: string } }).data.keep === 'y';
      const page = storage.list(all, { limit: 1, filter });
      expect(page.entries.map(({ key }) => key)).toEqual([`${all}d/q`]);
      expect(page.next).toBe(`${all}d/r`);
      expect(page.remaining).toBeUndefined();
      const rest = storage.list(all, { limit: 1, filter, from: page.next as string });
      expect(rest.entries.map(({ key }) => key)).toEqual([`${all}d/s`]);
      expect(rest.next).toBeUndefined();
    });

    it('delivers everything after its revision to a watcher, once and in order', async () => {
      await put(a);
      await put(b);
      const seen: string[] = [];
      using _ = storage.watch(all, 1, (event) => seen.push(line(event)));
      expect(seen).toEqual(['2 put b']);
      await put(c);
      await remove(a);
      await put('/registry/secrets/default/s');
      expect(seen).toEqual(['2 put b', '3 put c', '4 del a']);
    });

    it('delivers to watchers of one object, of a namespace and of everything their events', async () => {
      const seen: Record<string, string[]> = {};
      const prefixes = ['', '/registry/', all, '/registry/configmaps/default/', a];
      const watches = prefixes.map((prefix) => {
        seen[prefix] = [];
        return storage.watch(prefix, 0, (event) => seen[prefix]?.push(line(event)));
      });
      await put(a);
      await put(c);
      await put('/registry/secrets/default/s');
      expect(seen['']).toEqual(['1 put a', '2 put c', '3 put s']);
      expect(seen['/registry/']).toEqual(seen['']);
      expect(seen[all]).toEqual(['1 put a', '2 put c']);
      expect(seen['/registry/configmaps/default/']).toEqual(['1 put a']);
      expect(seen[a]).toEqual(['1 put a']);
      for (const watch of watches) watch[Symbol.dispose]();
    });

    it('delivers nothing to a watcher of a future revision until then', async () => {
      await put(a);
      const seen: string[] = [];
      using _ = storage.watch(all, 3, (event) => seen.push(line(event)));
      await put(b);
      await put(a);
      await put(c);
      expect(seen).toEqual(['4 put c']);
    });

    it('delivers nothing to a disposed watcher, not even the write that disposed it', async () => {
      const seen: string[] = [];
      const watches: Disposable[] = [];
      watches.push(storage.watch(all, 0, () => watches[1]?.[Symbol.dispose]()));
      watches.push(storage.watch(all, 0, (event) => seen.push(line(event))));
      await put(a);
      await put(b);
      expect(seen).toEqual([]);
      watches[0]?.[Symbol.dispose]();
    });

    it('keeps the order for everybody when a watcher writes', async () => {
      const seen: [string[], string[]] = [[], []];
      const writes: Promise<unknown>[] = [];
      using _ = storage.watch(all, 0, (event) => {
        seen[0].push(line(event));
        if (event.revision < 4) writes.push(put(event.revision % 2 === 1 ? b : c));
      });
      using __ = storage.watch(all, 0, (event) => seen[1].push(line(event)));
      await put(a);
      while (storage.revision < 4) await Promise.all(writes);
      expect(seen[0]).toEqual(['1 put a', '2 put b', '3 put c', '4 put b']);
      expect(seen[1]).toEqual(seen[0]);
    });

    it('delivers an event once to a watcher that is added during its delivery', async () => {
      const late: string[] = [];
      const watches: Disposable[] = [];
      watches.push(
        storage.watch(all, 0, ({ revision }) => {
          if (revision === 1) watches.push(storage.watch(all, 0, (event) => late.push(line(event))));
        }),
      );
      await put(a);
      await put(b);
      expect(late).toEqual(['1 put a', '2 put b']);
      for (const watch of watches) watch[Symbol.dispose]();
    });

    it('shows watchers and readers a write at the same moment', async () => {
      const states: (number | undefined)[] = [];
      using _ = storage.watch(all, 0, () => states.push(storage.get(a)?.revision));
      const writing = storage.write(a, 0, object('a'));
      const visible = storage.get(a) !== undefined;
      expect(states.length).toBe(visible ? 1 : 0);
      await writing;
      expect(states).toEqual([1]);
    });

    it('forgets the past on demand, and says so to those who ask for it', async () => {
      await put(a);
      await put(a);
      await put(b);
      await remove(b);
      await put(c);
      await storage.compact(4);
      expect(storage.compactedRevision).toBe(4);
      expect(() => storage.list(all, { revision: 3 })).toThrow(RevisionCompactedError);
      expect(() => storage.watch(all, 3, () => {})).toThrow(/revision 3 is compacted, the oldest kept is 5/);
      expect(keys(all, 4)).toEqual([a]);
      expect(keys(all)).toEqual([a, c]);
      const seen: string[] = [];
      using _ = storage.watch(all, 4, (event) => seen.push(line(event)));
      expect(seen).toEqual(['5 put c']);
    });

    it('does not compact beyond what there is, nor back', async () => {
      await put(a);
      await put(a);
      await storage.compact(99);
      expect(storage.compactedRevision).toBe(2);
      await storage.compact(1);
      expect(storage.compactedRevision).toBe(2);
    });

    it('keeps watchers going through a compaction', async () => {
      const seen: string[] = [];
      using _ = storage.watch(all, 0, (event) => seen.push(line(event)));
      await put(a);
      await storage.compact(1);
      await put(b);
      expect(seen).toEqual(['1 put a', '2 put b']);
    });

    it('refuses writes once it is closed', async () => {
      await put(a);
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
      await expect(put(b)).rejects.toThrow('closed');
    });

    it('is as it was after a restart, with the past that was kept, and goes on with new revisions', async () => {
      if (!subject.reopen) return expect(subject.reopen).toBeUndefined();
      await put(a, { data: { n: '1' } });
      await put(b);
      await put(a, { data: { n: '3' } });
      await storage.compact(2);
      await put(c);
      await remove(c);
      await storage.compact(2);
      storage = await subject.reopen();
      expect(storage.revision).toBe(5);
      expect(storage.compactedRevision).toBe(2);
      expect(keys(all)).toEqual([a, b]);
      expect(keys(all, 4)).toEqual([a, b, c]);
      const events: StorageEvent[] = [];
      using _ = storage.watch(all, 2, (event) => events.push(event));
      expect(events.map(line)).toEqual(['3 put a', '4 put c', '5 del c']);
      expect(events[0]?.previous).toMatchObject({ data: { n: '1' } });
      await storage.compact(5);
      storage = await subject.reopen();
      expect(storage.revision).toBe(5);
      expect((await put(c)).revision).toBe(6);
      return undefined;
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFilters, resultFilters } from '../filter/environments.ts';
import { parseFilter } from '../filter/translate.ts';
import {
  DuplicateError,
  type ListQuery,
  MissingResultError,
  type NewRecord,
  type NewResult,
  type RecordRow,
  type ResultsStorage,
} from './storage.ts';

const type = 'tekton.dev/v1.TaskRun';
const byId = { column: 'id', descending: false } as const;

/** Cases of a storage, on all of them. */
export function storageCases(place: string, open: () => Promise<ResultsStorage>): void {
  describe(`results ${place}`, { timeout: 60_000 }, () => {
    let storage: ResultsStorage;
    let parents = 0;
    beforeAll(async () => {
      storage = await open();
    });
    afterAll(() => storage[Symbol.asyncDispose]());

    /** A namespace that no other case uses. */
    const newParent = () => `space-${++parents}`;
    const addResult = (row: Partial<NewResult> & Pick<NewResult, 'parent' | 'name'>) =>
      storage.transact((transaction) => transaction.insertResult({ annotations: {}, ...row }));
    const addRecord = (row: Omit<NewRecord, 'data' | 'type'> & { readonly type?: string; readonly json?: object }) => {
      const { json = {}, ...rest } = row;
      const data = Buffer.from(JSON.stringify(json));
      return storage.transact((transaction) => transaction.insertRecord({ type, ...rest, data }));
    };

    async function addRun(parent: string, name: string, json: object = {}, more: Partial<NewRecord> = {}) {
      const { id } = await addResult({ parent, name });
      return addRecord({ parent, resultName: name, resultId: id, name, json, ...more });
    }

    async function names(parent: string, filter: string, query: Partial<ListQuery> = {}): Promise<readonly string[]> {
      const parsed = parseFilter(filter, recordFilters);
      const given = { parent, order: byId, limit: 50, ...query, ...(parsed ? { filter: parsed } : {}) };
      return (await storage.listRecords(given)).rows.map(({ name }) => name).sort();
    }

    it('keeps what was written, with an id, times and an etag', async () => {
      const parent = newParent();
      const summary = { record: `${parent}/results/a/records/a`, type, status: 1, start: 1_700_000_000_123_456 };
      const written = await addResult({ parent, name: 'a', annotations: { x: 'y' }, summary });
      expect(written.etag).toBe(`${written.id}-${written.updated}000`);
      expect(await storage.getResult(parent, 'a')).toEqual(written);
      const record = await addRecord({ parent, resultName: 'a', resultId: written.id, name: 'a', json: { b: [1] } });
      const read = (await storage.getRecord(parent, 'a', 'a')) as RecordRow;
      expect(read).toMatchObject({ id: record.id, etag: record.etag, resultId: written.id });
      expect(JSON.parse(Buffer.from(read.data).toString())).toEqual({ b: [1] });
      expect(await storage.getRecord(parent, 'a', 'b')).toBeUndefined();
    });

    it('has a name once, and a record only with its result', async () => {
      const parent = newParent();
      const { id } = await addResult({ parent, name: 'a' });
      await expect(addResult({ parent, name: 'a' })).rejects.toThrow(DuplicateError);
      const row = { parent, resultName: 'a', resultId: id, name: 'a' };
      await addRecord(row);
      await expect(addRecord(row)).rejects.toThrow(DuplicateError);
      await expect(addRecord({ ...row, name: 'b', resultId: 'gone' })).rejects.toThrow(MissingResultError);
    });

    it('takes back all of a transaction that fails, and nothing of its neighbours', async () => {
      const parent = newParent();
      const failed = storage.transact(async (transaction) => {
        await transaction.insertResult({ parent, name: 'half', annotations: {} });
        throw new Error('no');
      });
      const [outcome] = await Promise.allSettled([failed, addResult({ parent, name: 'whole' })]);
      expect(outcome.status).toBe('rejected');
      expect(await storage.getResult(parent, 'half')).toBeUndefined();
      expect(await storage.getResult(parent, 'whole')).toBeDefined();
    });

    it('finds what was updated by what it is now, and nothing of a result that is deleted', async () => {
      const parent = newParent();
      const before = await addRun(parent, 'a', { metadata: { labels: { app: 'old' } } });
      const data = Buffer.from(JSON.stringify({ metadata: { labels: { app: 'new' } } }));
      const after = await storage.transact((transaction) => transaction.updateRecord({ ...before, data }));
      expect(after.updated).toBeGreaterThan(before.updated);
      expect(await names(parent, 'data.metadata.labels["app"] == "new"')).toEqual(['a']);
      expect(await names(parent, 'data.metadata.labels["app"] == "old"')).toEqual([]);
      await storage.transact(async (transaction) => {
        const result = await transaction.getResult(parent, 'a');
        if (result) await transaction.deleteResult(result);
      });
      expect(await storage.getRecord(parent, 'a', 'a')).toBeUndefined();
      expect(await names(parent, 'data.metadata.labels["app"] == "new"')).toEqual([]);
    });

    it('filters records as upstream does', async () => {
      const parent = newParent();
      const run = (name: string, app: string, reason: string, more: object = {}) => ({
        metadata: { name, labels: { app, 'tekton.dev/pipeline': 'p' }, creationTimestamp: '2026-01-02T03:04:05Z' },
        status: { conditions: [{ reason }], completionTime: '2026-01-03T00:00:00.5Z' },
        spec: { retries: 3, ...more },
      });
      await addRun(parent, 'a', run('build-a', 'shop', 'Succeeded'));
      await addRun(parent, 'b', run('build-b', 'shop', 'Failed', { flag: true }));
      await addRun(parent, 'c', run("it's", 'web', 'Failed'), { type: 'tekton.dev/v1.PipelineRun' });
      await addRun(parent, 'd', {});
      const cases: Readonly<Record<string, readonly string[]>> = {
        'data_type == TASK_RUN': ['a', 'b', 'd'],
        'data_type == PIPELINE_RUN || data_type == "tekton.dev/v1beta1.PipelineRun"': ['c'],
        'data_type in [TASK_RUN, PIPELINE_RUN]': ['a', 'b', 'c', 'd'],
        'data.metadata.labels["app"] == "shop"': ['a', 'b'],
        'data.metadata.labels["app"] != "shop"': ['c'],
        'data.metadata.labels.app == "shop" && data.status.conditions[0].reason == "Failed"': ['b'],
        "data.metadata.labels['tekton.dev/pipeline'] == 'p' && data.metadata.name.contains('uild')": ['a', 'b'],
        'data.metadata.name.startsWith("build")': ['a', 'b'],
        'data.metadata.name.endsWith("-b")': ['b'],
        'data.metadata.name.matches("^build-[ab]$")': ['a', 'b'],
        'data.metadata.name == "it\'s"': ['c'],
        'name == "a"': ['a'],
        'result_name == "b"': ['b'],
        'data.status.completionTime > timestamp("2026-01-03T00:00:00Z")': ['a', 'b', 'c'],
        'data.status.completionTime > timestamp("2026-01-03T00:00:01Z")': [],
        'data.status.completionTime.getFullYear() == 2026': ['a', 'b', 'c'],
        'data.spec.retries == 3': ['a', 'b', 'c'],
        'data.spec.flag == true': ['b'],
        'has(data.spec.flag)': ['b'],
        '!(data.metadata.labels["app"] == "shop")': ['c'],
        'data.metadata.name + "-x" == "build-a-x"': ['a'],
        'data.metadata.labels["app"] == "none" || name == "d"': ['d'],
        'name == "\' OR 1=1 --"': [],
        'data.metadata.labels["\'"] == "x"': [],
      };
      for (const [filter, expected] of Object.entries(cases))
        expect([filter, await names(parent, filter)]).toEqual([filter, expected]);
    });

    it('filters results by their summary and their annotations', async () => {
      const parent = newParent();
      const add = (name: string, status: number, start: number, annotations = {}) =>
        addResult({
          parent,
          name,
          annotations,
          summary: { record: `${parent}/results/${name}/records/${name}`, type, status, start: start * 1e6 },
        });
      await add('a', 1, 1_700_000_000, { env: 'prod' });
      await add('b', 2, 1_700_000_100);
      await addResult({ parent, name: 'c' });
      const cases: Readonly<Record<string, readonly string[]>> = {
        'summary.status == SUCCESS': ['a'],
        'summary.status != SUCCESS': ['b', 'c'],
        'summary.type == TASK_RUN': ['a', 'b'],
        'annotations["env"] == "prod"': ['a'],
        '"env" in annotations': ['a'],
        'summary.start_time >= timestamp("2023-11-14T22:15:00Z")': ['b'],
        [`parent == "${parent}" && create_time > timestamp("2020-01-01T00:00:00Z")`]: ['a', 'b', 'c'],
        [`summary.record == "${parent}/results/b/records/b"`]: ['b'],
      };
      for (const [text, expected] of Object.entries(cases)) {
        const filter = parseFilter(text, resultFilters) as NonNullable<ListQuery['filter']>;
        const { rows } = await storage.listResults({ parent, filter, order: byId, limit: 50 });
        expect([text, rows.map(({ name }) => name).sort()]).toEqual([text, expected]);
      }
    });

    it('pages through lists in every order, without gaps or repetitions', async () => {
      const parent = newParent();
      for (let index = 0; index < 23; index++)
        await addResult({
          parent,
          name: `r${index}`,
          ...(index % 5 === 0
            ? {}
            : { summary: { record: `${parent}/results/r/records/r`, type, status: 1, start: (index % 3) * 1e6 + 1 } }),
        });
      for (const column of ['id', 'created_time', 'updated_time', 'recordsummary_start_time'] as const)
        for (const descending of [false, true]) {
          const seen: string[] = [];
          const values: number[] = [];
          for (let after: ListQuery['after']; ; ) {
            const query = { parent, order: { column, descending }, limit: 5, ...(after ? { after } : {}) };
            const { rows, hasMore } = await storage.listResults(query);
            seen.push(...rows.map(({ name }) => name));
            values.push(...rows.map(({ summary }) => summary?.start ?? Number.MAX_SAFE_INTEGER));
            const last = rows.at(-1);
            if (!hasMore || !last) break;
            const value = { created_time: last.created, updated_time: last.updated, id: undefined }[column as 'id'];
            const at = column === 'recordsummary_start_time' ? last.summary?.start : value;
            after = { id: last.id, ...(at === undefined ? {} : { value: at }) };
          }
          expect([column, descending, new Set(seen).size, seen.length]).toEqual([column, descending, 23, 23]);
          if (column === 'recordsummary_start_time')
            expect(values).toEqual(values.toSorted((a, b) => (descending ? b - a : a - b)));
        }
    });

    it('expires what is older than the first rule that matches allows', async () => {
      const parent = newParent();
      const rule = { namespaces: [parent], labels: {}, annotations: {}, statuses: [] };
      await addRun(parent, 'kept', { metadata: { labels: { keep: 'yes' } } });
      await addRun(parent, 'gone', {});
      const { resultId } = await addRun(parent, 'release', {}, { type: 'tekton.dev/v1.PipelineRun' });
      await addRecord({ parent, resultName: 'release', resultId, name: 'child' });
      const rules = (retentionMs: number) => [
        { ...rule, labels: { keep: ['yes'] }, retentionMs: 1e9 },
        { ...rule, retentionMs },
        { ...rule, namespaces: [], retentionMs: 1e12 },
      ];
      expect(await storage.expire(rules(1e9))).toBe(0);
      expect(await storage.expire(rules(-60_000))).toBe(2);
      expect(await names(parent, '')).toEqual(['kept']);
    });
  });
}

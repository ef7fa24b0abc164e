import { describe, expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
});

async function withObjects(count: number): Promise<TestServer> {
  const server = await TestServer.start();
  for (let i = 0; i < count; i++)
    await server.ok('POST', path, configMap(`c${i}`, { parity: i % 2 === 0 ? 'even' : 'odd' }));
  return server;
}

async function page(server: TestServer, query: string) {
  const list = await server.ok('GET', `${path}?${query}`);
  const metadata = list.metadata as { continue?: string; remainingItemCount?: number; resourceVersion: string };
  return { names: (list.items ?? []).map((item) => item.metadata.name), ...metadata };
}

describe('a list', () => {
  it('comes in pages that are one picture, whatever happens in between', async () => {
    await using server = await withObjects(7);
    const first = await page(server, 'limit=3');
    expect(first).toMatchObject({ names: ['c0', 'c1', 'c2'], remainingItemCount: 4 });
    await server.ok('DELETE', `${path}/c4`);
    await server.ok('POST', path, configMap('c33'));
    const second = await page(server, `limit=3&continue=${first.continue}`);
    expect(second).toMatchObject({ names: ['c3', 'c4', 'c5'], remainingItemCount: 1 });
    expect(second.resourceVersion).toBe(first.resourceVersion);
    const third = await page(server, `limit=3&continue=${second.continue}`);
    expect(third.names).toEqual(['c6']);
    expect(third.continue).toBeUndefined();
    expect((await page(server, '')).names).toEqual(['c0', 'c1', 'c2', 'c3', 'c33', 'c5', 'c6']);
  });

  it('of a selection fills its pages with what is selected, and does not say how much is left', async () => {
    await using server = await withObjects(9);
    const first = await page(server, 'limit=2&labelSelector=parity%3Dodd');
    expect(first.names).toEqual(['c1', 'c3']);
    expect(first.remainingItemCount).toBeUndefined();
    const second = await page(server, `limit=2&labelSelector=parity%3Dodd&continue=${first.continue}`);
    expect(second.names).toEqual(['c5', 'c7']);
  });

  it('that is continued too late gets 410 and a token to go on with what there is now', async () => {
    await using server = await withObjects(5);
    const first = await page(server, 'limit=2');
    await server.ok('DELETE', `${path}/c3`);
    await server.ok('POST', '/tektite/compact');
    const expired = await server.send('GET', `${path}?limit=2&continue=${first.continue}`);
    expect(expired).toMatchObject({ code: 410, object: { reason: 'Expired' } });
    const token = (expired.object.metadata as { continue?: string }).continue;
    expect((await page(server, `limit=2&continue=${token}`)).names).toEqual(['c2', 'c4']);
  });

  it('of the past is what was then, until it is forgotten', async () => {
    await using server = await withObjects(2);
    const then = (await page(server, '')).resourceVersion;
    await server.ok('DELETE', `${path}/c0`);
    const exact = `resourceVersionMatch=Exact&resourceVersion=${then}`;
    expect((await page(server, exact)).names).toEqual(['c0', 'c1']);
    expect((await page(server, `resourceVersionMatch=NotOlderThan&resourceVersion=${then}`)).names).toEqual(['c1']);
    expect((await page(server, 'resourceVersion=0')).names).toEqual(['c1']);
    await server.ok('POST', path, configMap('later'));
    await server.ok('POST', '/tektite/compact');
    expect((await server.send('GET', `${path}?${exact}`)).code).toBe(410);
  });

  it.each([
    ['resourceVersion=99999999', 504],
    ['resourceVersion=x', 400],
    ['limit=x', 400],
    ['continue=nonsense', 400],
    ['continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi94In0', 400],
    ['continue=e30', 400],
    ['continue=bnVsbA', 400],
    ['continue=MQ', 400],
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=Exact&resourceVersion=0', 422],
    ['resourceVersionMatch=Sometimes&resourceVersion=1', 422],
    ['sendInitialEvents=true', 422],
    ['labelSelector=a%20b', 400],
    ['labelSelector=-a%3Db', 400],
    ['fieldSelector=metadata.nothing%3Dx', 400],
    ['fieldSelector=x', 400],
  ])('with %s gets %d', async (query, code) => {
    await using server = await withObjects(1);
    expect((await server.send('GET', `${path}?${query}`)).code).toBe(code);
  });

  it('shows all namespaces or one, and no items of other kinds with similar names', async () => {
    await using server = await withObjects(1);
    await server.ok('POST', '/api/v1/namespaces/kube-system/configmaps', configMap('other'));
    expect((await server.ok('GET', '/api/v1/configmaps')).items?.map(({ metadata }) => metadata.namespace)).toEqual([
      'default',
      'kube-system',
    ]);
    expect((await server.ok('GET', '/api/v1/namespaces/def/configmaps')).items).toEqual([]);
    const list = await server.ok('GET', path);
    expect(list).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(list.items?.[0]).not.toHaveProperty('kind');
  });

  it.each([
    ['Table', 'application/json;as=Table;v=v1;g=meta.k8s.io', { kind: 'Table', apiVersion: 'meta.k8s.io/v1' }],
    [
      'PartialObjectMetadataList',
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      { kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'c0' } }] },
    ],
    [
      'the first form that is served',
      'application/json;as=Nonsense;v=v9;g=x,application/json',
      { kind: 'ConfigMapList' },
    ],
  ])('comes as %s when asked', async (_, accept, expected) => {
    await using server = await withObjects(1);
    expect((await server.send('GET', path, undefined, { headers: { accept } })).object).toMatchObject(expected);
  });

  it('as a table has a row for each, with as much of the object as asked', async () => {
    await using server = await withObjects(2);
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const table = async (query: string) =>
      (await server.send('GET', `${path}?${query}`, undefined, { headers })).object as unknown as {
        columnDefinitions: { name: string }[];
        rows: { cells: unknown[]; object: { kind: string } | null }[];
      };
    const { columnDefinitions, rows } = await table('');
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ['c0', 0],
      ['c1', 0],
    ]);
    expect(rows[0]?.object?.kind).toBe('PartialObjectMetadata');
    expect((await table('includeObject=None')).rows[0]?.object).toBeNull();
    expect((await table('includeObject=Object')).rows[0]?.object?.kind).toBe('ConfigMap');
    expect((await server.send('GET', `${path}?includeObject=Half`, undefined, { headers })).code).toBe(400);
  });
});

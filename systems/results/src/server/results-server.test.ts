import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSelfSigned } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsService, resultsService } from './methods.ts';
import { startResultsServer } from './results-server.ts';
import { LogFiles } from '../logs/log-files.ts';
import { EmbeddedStorage } from '../storage/embedded/embedded-storage.ts';
import { callGrpc, request, temporaryFolder } from '../test-support.ts';
import {
  createRecordRequestType,
  createResultRequestType,
  httpBodyType,
  type ListRequest,
  listRecordsResponseType,
  listRequestType,
  logChunkType,
  logSummaryType,
  nameRequestType,
  recordType,
  resultType,
} from '../wire/messages.ts';

const folder = temporaryFolder();
const stopping: (() => Promise<unknown>)[] = [];
let url: string;

beforeAll(async () => {
  const storage = await EmbeddedStorage.open(folder.path);
  const made = await createSelfSigned({ commonName: 'localhost', hosts: ['localhost'] }, systemClock, {
    validForMs: 3_600_000,
  });
  const server = await startResultsServer({
    storage,
    logs: new LogFiles(join(folder.path, 'logs')),
    access: { check: () => Promise.resolve() },
    host: '127.0.0.1',
    port: 0,
    tls: made,
  });
  stopping.push(
    () => server.close(),
    () => storage[Symbol.asyncDispose](),
  );
  url = `https://127.0.0.1:${server.port}`;
});

afterAll(async () => {
  for (const stop of stopping) await stop();
  folder[Symbol.dispose]();
});

const rest = (method: string, path: string, body?: object) =>
  request(url, 'token', method, `/apis/results.tekton.dev/v1alpha2/parents/${path}`, body);

const createResult = (name: string) =>
  callGrpc(url, '', `${resultsService}/CreateResult`, { input: createResultRequestType, output: resultType }, [
    { parent: name.split('/')[0] as string, result: { name } },
  ]);

const createRecord = (parent: string, name: string, json: object | string, type = 'example.com/v1.Thing') => {
  const value = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  return callGrpc(url, '', `${resultsService}/CreateRecord`, { input: createRecordRequestType, output: recordType }, [
    { parent, record: { name: `${parent}/records/${name}`, data: { type, value } } },
  ]);
};

const listRecords = (list: ListRequest, headers = {}) =>
  callGrpc(
    url,
    '',
    `${resultsService}/ListRecords`,
    { input: listRequestType, output: listRecordsResponseType },
    [list],
    headers,
  );

describe('over gRPC', () => {
  it('errors have the codes and texts of upstream', async () => {
    const name = 'errors/results/a';
    expect((await createResult(name)).status).toBe(0);
    expect(await createResult(name)).toMatchObject({ status: 6, message: expect.stringContaining('SQLSTATE 23505') });
    expect(await createResult('Bad')).toMatchObject({
      status: 3,
      message:
        'rpc error: code = InvalidArgument desc = name must match (^[a-z0-9_-]{1,63})/results/([a-z0-9_-]{1,63}$)',
    });
    expect(await createRecord('errors/results/none', 'a', {})).toMatchObject({
      status: 5,
      message: 'record not found',
    });
    expect(await createRecord(name, 'a', '{')).toMatchObject({ status: 3 });
    const parent = name;
    expect(await listRecords({ parent: '' })).toMatchObject({ status: 3, message: 'parent missing' });
    expect(await listRecords({ parent, page_size: 3 })).toMatchObject({
      status: 3,
      message: 'invalid page size (3): value must be greater than 5 and less than 10000',
    });
    expect(await listRecords({ parent, order_by: 'name' })).toMatchObject({
      status: 3,
      message:
        'name: field is unknown or cannot be used in the order by clause%0Athe value must obey the format <create_time|update_time> [asc|desc]',
    });
    expect(await listRecords({ parent, filter: 'name' })).toMatchObject({
      status: 3,
      message: 'expected boolean expression, but got string',
    });
    expect(await listRecords({ parent, filter: 'data.x.exists(y, y == 1)' })).toMatchObject({
      status: 3,
      message: expect.stringMatching(/^unsupported CEL/),
    });
    const unknown = { input: nameRequestType, output: resultType };
    expect(await callGrpc(url, '', `${resultsService}/Nothing`, unknown, [{}])).toMatchObject({ status: 12 });
    expect(await callGrpc(url, '', 'no.Service/Nothing', unknown, [{}])).toMatchObject({ status: 12 });
  });

  it('a message that is too large is refused, and the next one is not', async () => {
    const parent = 'large/results/a';
    await createResult(parent);
    expect(await createRecord(parent, 'a', { text: 'x'.repeat(5_000_000) })).toMatchObject({
      status: 8,
      message: expect.stringMatching(/^grpc: received message larger than max/),
    });
    expect((await createRecord(parent, 'b', {})).status).toBe(0);
  });

  it('pages fit together, and a token is of its own query', async () => {
    const parent = 'pages/results/a';
    await createResult(parent);
    for (let index = 0; index < 12; index++) await createRecord(parent, `r${index}`, { index });
    const names: (string | undefined)[] = [];
    let token = '';
    do {
      const [page = {}] = (await listRecords({ parent, page_size: 5, page_token: token })).answers;
      names.push(...(page.records ?? []).map(({ name }) => name));
      token = page.next_page_token ?? '';
    } while (token !== '');
    expect(new Set(names).size).toBe(12);
    const [first = {}] = (await listRecords({ parent, page_size: 5 })).answers;
    const page_token = first.next_page_token as string;
    expect(await listRecords({ parent: 'pages/results/b', page_size: 5, page_token })).toMatchObject({
      message: expect.stringContaining('differs from the parent used in the previous query'),
    });
    expect(await listRecords({ parent, page_size: 5, page_token, filter: 'name == "x"' })).toMatchObject({
      message: expect.stringContaining('differs from the filter used in the previous query'),
    });
    expect(await listRecords({ parent, page_token: '%%' })).toMatchObject({ status: 3 });
    expect((await listRecords({ parent, page_token: 'AAAA' })).status).toBe(13);
  });

  it('a mask leaves out what is not asked for', async () => {
    const parent = 'masks/results/a';
    await createResult(parent);
    await createRecord(parent, 'a', { metadata: { name: 'x', uid: 'y' }, spec: {} });
    const [answer] = (await listRecords({ parent }, { fields: 'records.name,records.data.value.metadata.name' }))
      .answers;
    const [record = {}] = answer?.records ?? [];
    expect(Object.keys(record)).toEqual(['name', 'data']);
    expect(String(record.data?.value)).toBe('{"metadata":{"name":"x"}}');
  });
});

describe('over REST', () => {
  it('a result is created, read, changed and deleted', async () => {
    const created = await rest('POST', 'rest/results', { name: 'rest/results/a', annotations: { x: 'y' } });
    expect(created).toMatchObject({ code: 200, body: { name: 'rest/results/a', annotations: { x: 'y' } } });
    const { etag } = created.body as { readonly etag: string };
    const change = { annotations: { x: 'z' } };
    expect(await rest('PATCH', 'rest/results/a?etag=old', change)).toEqual({
      code: 400,
      body: { code: 9, message: 'the etag mismatches' },
    });
    expect(await rest('PATCH', `rest/results/a?etag=${etag}`, change)).toMatchObject({
      code: 200,
      body: { annotations: { x: 'z' } },
    });
    expect(await rest('DELETE', 'rest/results/a')).toEqual({ code: 200, body: {} });
    expect(await rest('GET', 'rest/results/a')).toEqual({ code: 404, body: { code: 5, message: 'record not found' } });
    expect((await rest('PUT', 'rest/results/a')).code).toBe(501);
    expect((await rest('GET', 'rest/nothing')).code).toBe(404);
    expect((await request(url, '', 'GET', '/healthz')).body).toEqual({ status: 'SERVING' });
  });

  it('requests that are wrong in their form have the texts of upstream', async () => {
    await createResult('forms/results/a');
    const message = async (answer: Promise<{ readonly body: unknown }>) =>
      ((await answer).body as { readonly message?: string }).message;
    const record = (data: object) =>
      rest('POST', 'forms/results/a/records', { name: 'forms/results/a/records/x', data });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    expect(await message(rest('GET', 'forms/results?page_size=x'))).toBe(
      'parsing field "page_size": strconv.ParseInt: parsing "x": invalid syntax',
    );
    expect(await message(rest('GET', 'forms/results?pageSize=9999999999'))).toContain('value out of range');
    expect(await message(rest('GET', 'forms/results?page_token=x'))).toBe('illegal base64 data at input byte 0');
    expect(await message(record({ type: 't', value: base64('{') }))).toBe('unexpected end of JSON input');
    expect(await message(record({ type: 't', value: base64('{"a":}') }))).toBe(
      "invalid character '}' looking for beginning of value",
    );
    expect(await message(record({ type: 'results.tekton.dev/v1alpha3.Log', value: base64('[]') }))).toBe(
      'json: cannot unmarshal array into Go value of type v1alpha3.Log',
    );
    expect(await message(record({ type: 'x'.repeat(769), value: base64('{}') }))).toBe(
      'rpc error: code = InvalidArgument desc = type must not exceed 768 characters',
    );
    const summary = { record: 'forms/results/b/records/a', type: 't', status: 'UNHEARD_OF' };
    const unknown = await rest('POST', 'forms/results', { name: 'forms/results/b', summary });
    expect(unknown).toMatchObject({ code: 200, body: { summary: { record: summary.record, type: 't' } } });
    expect((unknown.body as { summary: object }).summary).not.toHaveProperty('status');
  });

  it('takes the first mask of the query, which an empty one is, too', async () => {
    await createResult('query/results/a');
    const read = async (query: string) => (await rest('GET', `query/results/a?${query}`)).body;
    expect(await read('fields=name&fields=etag')).toEqual({ name: 'query/results/a' });
    expect(await read('fields=')).toEqual({});
  });

  it('records are added up', async () => {
    await createResult('sums/results/a');
    const run = (reason: string, seconds: number, day: number) => ({
      metadata: { namespace: 'sums', creationTimestamp: `2026-01-0${day}T10:00:00Z` },
      status: {
        startTime: '2026-01-01T10:00:00Z',
        completionTime: `2026-01-01T10:00:0${seconds}Z`,
        conditions: [{ reason }],
      },
    });
    await createRecord('sums/results/a', 'a', run('Succeeded', 2, 1));
    await createRecord('sums/results/a', 'b', run('Failed', 5, 1));
    await createRecord('sums/results/a', 'c', run('Completed', 8, 2));
    const sum = async (query: string) =>
      (await rest('GET', `sums/results/-/records/summary?${query}`)).body as { readonly summary?: readonly object[] };
    expect(await sum('summary=total,succeeded,failed,avg_duration,max_duration')).toEqual({
      summary: [{ total: 3, succeeded: 2, failed: 1, avg_duration: '00:00:05', max_duration: '00:00:08' }],
    });
    expect(await sum('summary=total&group_by=day&order_by=total%20desc')).toEqual({
      summary: [
        { total: 2, group_value: Date.UTC(2026, 0, 1) / 1000 },
        { total: 1, group_value: Date.UTC(2026, 0, 2) / 1000 },
      ],
    });
    expect(await sum('summary=pg_sleep')).toEqual({ code: 3, message: 'invalid aggregate query: pg_sleep' });
  });
});

describe('a log', () => {
  const type = 'results.tekton.dev/v1alpha3.Log';
  const update = { input: logChunkType, output: logSummaryType };

  it('is read when it was received as a whole, by its name or that of its run', async () => {
    await createResult('logs/results/a');
    await createRecord('logs/results/a', 'run', {});
    const spec = { resource: { uid: 'run', name: 'n', namespace: 'logs' } };
    await createRecord('logs/results/a', 'log', { spec }, type);
    expect((await rest('GET', 'logs/results/a/logs/log')).body).toEqual({
      error: { code: 5, message: "Log doesn't exist" },
    });
    const name = 'logs/results/a/logs/log';
    const chunks = ['hello ', 'world'].map((text) => ({ name, data: Buffer.from(text) }));
    const { answers } = await callGrpc(url, '', `${logsService}/UpdateLog`, update, chunks);
    expect(answers).toEqual([{ record: 'logs/results/a/records/log', bytesReceived: 11 }]);
    expect((await rest('GET', 'logs/results/a/logs/log')).body).toBe('hello world');
    const shape = { input: nameRequestType, output: httpBodyType };
    const read = await callGrpc(url, '', `${logsService}/GetLog`, shape, [{ name: 'logs/results/a/logs/run' }]);
    expect(read.answers.map(({ data }) => String(data)).join('')).toBe('hello world');
    const newer = await callGrpc(url, '', 'tekton.results.v1alpha3.Logs/GetLog', shape, [
      { name: 'logs/results/a/logs/run' },
    ]);
    expect(newer.answers.map(({ data }) => String(data)).join('')).toBe('hello world');
    const other = [
      { name, data: Buffer.from('x') },
      { name: 'logs/results/a/logs/else', data: Buffer.from('y') },
    ];
    expect(await callGrpc(url, '', `${logsService}/UpdateLog`, update, other)).toMatchObject({
      message: 'cannot put logs for multiple records in the same server',
    });
  });

  it('is never read from where a record of another namespace points to', async () => {
    writeFileSync(join(folder.path, 'secret'), 'secret');
    await createResult('thief/results/a');
    for (const [index, path] of ['../../secret', 'logs/log/log', '/etc/passwd', 'thief/../logs/log/log'].entries()) {
      const status = { path, size: 6, isStored: true };
      await createRecord('thief/results/a', `r${index}`, { status }, type);
      const answer = await rest('GET', `thief/results/a/logs/r${index}`);
      expect(answer).toEqual({ code: 404, body: { error: { code: 5, message: "Log doesn't exist" } } });
    }
  });
});

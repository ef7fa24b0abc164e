import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '../codec/decode-protobuf.ts';
import { HttpTestServer } from './test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const media = 'application/vnd.kubernetes.protobuf';
const accept = { accept: `${media},application/json` };
const create = (server: HttpTestServer, name: string) =>
  server.http1(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...accept },
    body: JSON.stringify({ metadata: { name }, data: { k: name } }),
  });

describe('a client that asks for protobuf', () => {
  it('gets objects and errors that it can decode', async () => {
    await using server = await HttpTestServer.start();
    const created = await create(server, 'a');
    expect(created.headers['content-type']).toBe(media);
    expect(created.headers['content-length']).toBe(String(created.bytes.length));
    const read = await server.http1(`${path}/a`, { headers: accept });
    expect(decodeProtobuf(read.bytes)).toEqual(decodeProtobuf(created.bytes));
    const asJson = (await server.http1(`${path}/a`)).object;
    expect(decodeProtobuf(read.bytes)).toMatchObject({ ...asJson, data: { k: 'a' } });
    expect((await server.http1(`${path}/none`, { headers: accept })).code).toBe(404);
  });

  it('gets short and long lists', async () => {
    await using server = await HttpTestServer.start();
    for (let i = 0; i < 3; i++) await create(server, `c${i}`);
    const names = (bytes: Buffer) =>
      (decodeProtobuf(bytes)['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    expect(names((await server.http2(path, { headers: accept })).bytes)).toEqual(['c0', 'c1', 'c2']);
    for (let i = 3; i < 60; i++) await create(server, `c${i}`);
    const long = await server.http2(path, { headers: accept });
    expect(long.headers['content-type']).toBe(media);
    expect(names(long.bytes)).toHaveLength(60);
    expect(long.bytes.length).toBeLessThan((await server.http2(path)).bytes.length * 0.8);
  });

  it('gets the events of a watch as frames', async () => {
    await using server = await HttpTestServer.start();
    await create(server, 'a');
    const watched = await server.http1(`${path}?watch=1&timeoutSeconds=1`, { headers: accept });
    expect(watched.headers['content-type']).toBe(`${media};stream=watch`);
    const length = watched.bytes.readUInt32BE(0);
    expect(watched.bytes.length).toBe(length + 4);
    expect(decodeProtobuf(watched.bytes.subarray(watched.bytes.indexOf('k8s\0')))).toMatchObject({ data: { k: 'a' } });
  });

  it('gets metadata alone, tables as JSON, and custom resources as JSON', async () => {
    await using server = await HttpTestServer.start();
    await create(server, 'a');
    const partial = `${media};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const metadata = await server.http1(path, { headers: { accept: partial } });
    expect(metadata.headers['content-type']).toBe(media);
    expect(metadata.bytes.includes('PartialObjectMetadataList')).toBe(true);
    const table = 'as=Table;g=meta.k8s.io;v=v1';
    const tables = { accept: `${media};${table},application/json;${table}` };
    expect((await server.http1(path, { headers: tables })).object.kind).toBe('Table');
    const definition = {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    await server.http1('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    });
    const things = '/apis/example.com/v1/namespaces/default/things';
    await expect
      .poll(async () => (await server.http1(things, { headers: accept })).headers['content-type'], { timeout: 15_000 })
      .toBe('application/json');
    expect((await server.http1(things, { headers: accept })).object.kind).toBe('ThingList');
    expect((await server.http1(things, { headers: { accept: media } })).code).toBe(406);
  });
});

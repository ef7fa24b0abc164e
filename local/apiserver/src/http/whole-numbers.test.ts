import { parseJson, stringifyJson } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '../codec/decode-protobuf.ts';
import { HttpTestServer } from './test-support.ts';

const max = 9223372036854775807n;
const min = -9223372036854775808n;
const media = 'application/vnd.kubernetes.protobuf';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const counters = '/apis/example.com/v1/namespaces/default/counters';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const serviceAccounts = '/api/v1/namespaces/default/serviceaccounts';
const pods = '/api/v1/namespaces/default/pods';

interface Counter {
  readonly spec: { readonly count?: unknown; readonly any?: unknown };
}

const definition = {
  metadata: { name: 'counters.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'counters', kind: 'Counter' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.spec.count' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  count: { type: 'integer', format: 'int64', minimum: -1 },
                  any: { 'x-kubernetes-preserve-unknown-fields': true },
                },
                'x-kubernetes-validations': [
                  {
                    rule: '!has(self.count) || self.count != 9007199254740993',
                    message: 'is the first that is not safe',
                  },
                ],
              },
            },
          },
        },
      },
    ],
  },
};

async function start(): Promise<HttpTestServer> {
  const server = await HttpTestServer.start();
  await send(server, 'POST', definitions, stringifyJson(definition));
  return server;
}

function send(server: HttpTestServer, method: string, path: string, body: string, type = 'application/json') {
  return server.http1(path, { method, headers: { 'content-type': type }, body });
}

const counter = (name: string, spec: object) =>
  stringifyJson({ apiVersion: 'example.com/v1', kind: 'Counter', metadata: { name }, spec });

async function read(server: HttpTestServer, name: string): Promise<Counter['spec']> {
  return (parseJson((await server.http1(`${counters}/${name}`)).text) as Counter).spec;
}

describe('a whole number of 64 bits', () => {
  it('is kept in a custom resource, whatever wrote it', async () => {
    await using server = await start();
    const created = await send(server, 'POST', counters, counter('a', { count: max, any: [min, '\0i1'] }));
    expect(created.text).toContain('9223372036854775807');
    expect(await read(server, 'a')).toEqual({ count: max, any: [min, '\0i1'] });

    await send(
      server,
      'PATCH',
      `${counters}/a`,
      '{"spec":{"count":9223372036854775806}}',
      'application/merge-patch+json',
    );
    expect(await read(server, 'a')).toMatchObject({ count: max - 1n });

    const patch =
      '[{"op":"test","path":"/spec/count","value":9223372036854775806},{"op":"replace","path":"/spec/count","value":9223372036854775805}]';
    await send(server, 'PATCH', `${counters}/a`, patch, 'application/json-patch+json');
    expect(await read(server, 'a')).toMatchObject({ count: max - 2n });

    const yaml = 'apiVersion: example.com/v1\nkind: Counter\nmetadata: {name: b}\nspec: {count: 9223372036854775807}\n';
    const apply = `${counters}/b?fieldManager=test`;
    expect((await send(server, 'PATCH', apply, yaml, 'application/apply-patch+yaml')).code).toBe(201);
    expect(await read(server, 'b')).toEqual({ count: max });
    expect((await send(server, 'PATCH', apply, yaml, 'application/apply-patch+yaml')).code).toBe(200);
  });

  it('is checked exactly', async () => {
    await using server = await start();
    const refused = await send(server, 'POST', counters, counter('a', { count: min }));
    expect(refused.text).toContain('spec.count in body should be greater than or equal to -1');
    const rule = await send(server, 'POST', counters, counter('a', { count: 9007199254740993n }));
    expect(rule.text).toContain('is the first that is not safe');
    expect((await send(server, 'POST', counters, counter('a', { count: 9007199254740994n }))).code).toBe(201);
  });

  it('is in lists, in watches, in tables and in YAML', async () => {
    await using server = await start();
    await send(server, 'POST', counters, counter('a', { count: max }));
    expect(parseJson((await server.http1(counters)).text)).toMatchObject({ items: [{ spec: { count: max } }] });
    const [event = ''] = (await server.http1(`${counters}?watch=1&timeoutSeconds=1`)).text.split('\n');
    expect(parseJson(event)).toMatchObject({ type: 'ADDED', object: { spec: { count: max } } });
    const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    expect(parseJson((await server.http1(counters, { headers: table })).text)).toMatchObject({
      rows: [{ cells: ['a', max] }],
    });
    const { text } = await server.http1(`${counters}/a`, { headers: { accept: 'application/yaml' } });
    expect(text).toContain('  count: 9223372036854775807\n');
  });

  it('is kept in a field of a built-in kind, in JSON and in protobuf', async () => {
    await using server = await HttpTestServer.start();
    await send(server, 'POST', serviceAccounts, '{"metadata":{"name":"default"}}');
    const pod = {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', image: 'a' }], terminationGracePeriodSeconds: max },
    };
    const created = await send(server, 'POST', pods, stringifyJson(pod));
    expect(parseJson(created.text)).toMatchObject({ spec: { terminationGracePeriodSeconds: max } });
    const asProtobuf = await server.http1(`${pods}/a`, { headers: { accept: media } });
    expect(decodeProtobuf(asProtobuf.bytes)).toMatchObject({ spec: { terminationGracePeriodSeconds: max } });
    expect((await server.http1(`${pods}/a`, { method: 'DELETE' })).code).toBe(200);
  });

  it('is refused where a field has 32 bits', async () => {
    await using server = await HttpTestServer.start();
    const lease = '{"metadata":{"name":"a"},"spec":{"leaseDurationSeconds":9007199254740993}}';
    expect((await send(server, 'POST', leases, lease)).text).toContain('cannot unmarshal number 9007199254740993');
    const deployment = '{"metadata":{"name":"a"},"spec":{"replicas":9223372036854775808}}';
    expect((await send(server, 'POST', deployments, deployment)).text).toContain('of type int32');
  });
});

import { describe, expect, it } from 'vitest';
import { TestServer } from '../../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

async function patch(type: keyof typeof types, body: string) {
  await using server = await TestServer.start();
  await server.ok('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } });
  return await server.send('PATCH', `${path}/c?fieldManager=m`, body, { headers: { 'content-type': types[type] } });
}

describe('a patch', () => {
  it.each<[keyof typeof types, string]>([
    ['strategic', '{"kind":"Secret","apiVersion":"v2"}'],
    ['strategic', 'null'],
    ['strategic', '{"data":{"b":"1","b":"2"}}'],
    ['merge', '{"kind":null}'],
    ['json', '[{"op":"remove","path":"/kind"}]'],
    ['json', 'null'],
  ])('of type %s cannot change what the object is: %s', async (type, body) => {
    expect(await patch(type, body)).toMatchObject({ code: 200, object: { kind: 'ConfigMap', apiVersion: 'v1' } });
  });

  it.each<[keyof typeof types, string, string]>([
    ['merge', '{"kind":"Pod"}', 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
    ['merge', '{"metadata":null}', 'the name of the object (c based on URL) was undeterminable: name must be provided'],
    ['strategic', '[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['strategic', 'true', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    ['strategic', '5', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
    ['strategic', '{"immutable":"x"}', 'unrecognized type: bool'],
    ['json', '{}', 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['apply', '', 'invalid object type: /, Kind='],
    ['apply', '{apiVersion: v1, kind: Secret}', 'invalid object type: /v1, Kind=Secret'],
    ['apply', '{apiVersion: v2, kind: ConfigMap}', 'invalid object type: /v2, Kind=ConfigMap'],
    [
      'apply',
      '[]',
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['apply', '{apiVersion: v1, kind: ConfigMap, data: [a]}', '.data: expected map, got &{[a]}'],
  ])('of type %s is refused with the words of upstream: %s', async (type, body, message) => {
    const { code, object } = await patch(type, body);
    expect(code).toBeGreaterThanOrEqual(400);
    expect(object.message).toContain(message);
  });

  it('shows what it came to with the keys it touched in order', async () => {
    const { object } = await patch('merge', '{"data":{"b":1,"A":"x"}}');
    expect(object.message).toContain('"data":{"A":"x","a":"1","b":1}'.replaceAll('"', '\\"'));
  });

  it('of a collection is not allowed', async () => {
    await using server = await TestServer.start();
    const answer = await server.send('PATCH', path, '{}', { headers: { 'content-type': types.merge } });
    expect(answer.code).toBe(405);
  });
});

describe('an apply', () => {
  it('that changes nothing leaves no time', async () => {
    const { object } = await patch('apply', '{apiVersion: v1, kind: ConfigMap, data: {a: "1"}}');
    const entry = object.metadata.managedFields?.find(({ manager }) => manager === 'm');
    expect(entry).toMatchObject({ operation: 'Apply' });
    expect(entry?.time).toBeUndefined();
  });

  it('creates what it gives a version to', async () => {
    await using server = await TestServer.start();
    const body = '{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: "5"}}';
    const headers = { 'content-type': types.apply };
    expect((await server.send('PATCH', `${path}/c?fieldManager=m`, body, { headers })).code).toBe(201);
  });
});

describe('a configuration with a key twice', () => {
  const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: "1"\n  a: "2"\n';
  const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},\n"data":{"a":"1","a":"2"}}';
  const problem = 'error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "a" already set in map';
  const headers = { 'content-type': types.apply };

  it.each([
    ['YAML', body, 6],
    ['JSON', json, 2],
  ])('is refused under strict validation, as %s', async (_name, text, line) => {
    await using server = await TestServer.start();
    const answer = await server.send('PATCH', `${path}/c?fieldManager=m&fieldValidation=Strict`, text, { headers });
    const message = `error strict decoding YAML: ${problem.replace('6', String(line))}`;
    expect(answer).toMatchObject({ code: 400, object: { message } });
  });

  it('is applied otherwise; the warning has more than one line, and so no header can hold it', async () => {
    await using server = await TestServer.start();
    const applied = await server.send('PATCH', `${path}/c?fieldManager=m`, body, { headers });
    expect(applied).toMatchObject({ code: 201, object: { data: { a: '2' } } });
  });
});

describe('a patch of the status', () => {
  it('may change the metadata of most kinds, and nothing else', async () => {
    await using server = await TestServer.start();
    const quotas = '/api/v1/namespaces/default/resourcequotas';
    await server.ok('POST', quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { pods: '1' } },
    });
    const change = { metadata: { labels: { a: 'b' } }, spec: { hard: { pods: '2' } }, status: { used: { pods: '0' } } };
    const headers = { 'content-type': types.merge };
    const quota = await server.ok('PATCH', `${quotas}/q/status`, JSON.stringify(change), { headers });
    expect(quota).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { hard: { pods: '1' } },
      status: { used: { pods: '0' } },
    });
  });
});

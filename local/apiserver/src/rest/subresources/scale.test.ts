import { describe, expect, it } from 'vitest';
import { TestServer } from '../../test-support.ts';

const path = '/apis/apps/v1/namespaces/default/deployments';
const scale = (metadata: object, replicas: number) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd', ...metadata },
  spec: { replicas },
});

async function start(): Promise<TestServer> {
  const server = await TestServer.start();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template };
  await server.ok('POST', path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  return server;
}

describe('the scale of a workload', () => {
  it.each<[string, object, number, number, string]>([
    [
      'a number below zero',
      {},
      -1,
      422,
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'another namespace',
      { namespace: 'other' },
      1,
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['the uid of another object', { uid: 'other' }, 1, 409, 'UID in precondition: other'],
  ])('refuses %s', async (_, metadata, replicas, code, message) => {
    await using server = await start();
    const answer = await server.send('PUT', `${path}/d/scale`, scale(metadata, replicas));
    expect(answer.code).toBe(code);
    expect(answer.object.message).toContain(message);
  });

  it('is patched like an object: with warnings, and strictly if asked', async () => {
    await using server = await start();
    const headers = { 'content-type': 'application/merge-patch+json' };
    const strict = await server.send('PATCH', `${path}/d/scale?fieldValidation=Strict`, '{"spec":{"more":1}}', {
      headers,
    });
    expect(strict.code).toBe(422);
    expect(strict.object.message).toContain(
      'strict decoding error: unknown field \\"spec.more\\"'.replaceAll('\\', ''),
    );
    const wrong = await server.send('PATCH', `${path}/d/scale`, '{"spec":{"replicas":"x"}}', { headers });
    expect(wrong.object.message).toContain(
      'json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas',
    );
  });

  it('is shown as a Table with its own columns', async () => {
    await using server = await start();
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await server.ok('GET', `${path}/d/scale`, undefined, { headers: { accept } });
    expect(table.columnDefinitions).toMatchObject([
      { name: 'Name' },
      { name: 'Desired' },
      { name: 'Available' },
      { name: 'Age' },
    ]);
  });
});

describe('the scale of a custom resource', () => {
  it.each(['__proto__', 'constructor', 'toString'])('is where its definition says, %s included', async (name) => {
    await using server = await TestServer.start();
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const scaled = { specReplicasPath: `.spec.${name}.polluted`, statusReplicasPath: '.status.replicas' };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      subresources: { scale: scaled },
      schema: { openAPIV3Schema },
    };
    const names = { plural: 'widgets', kind: 'Widget' };
    await server.ok('POST', definitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names, versions: [version] },
    });
    const widgets = '/apis/example.com/v1/widgets';
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: 1 } };
    await expect.poll(async () => (await server.send('POST', widgets, widget)).code).toBe(201);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await server.send('PATCH', `${widgets}/w/scale`, '{"spec":{"replicas":7}}', { headers });
    expect(answer.code).toBe(200);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((Object as unknown as { polluted?: unknown }).polluted).toBeUndefined();
    const { spec } = await server.ok('GET', `${widgets}/w`);
    expect(Object.getOwnPropertyDescriptor(spec, name)?.value).toEqual({ polluted: 7 });
  });
});

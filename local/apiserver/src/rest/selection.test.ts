import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { type KubeObject, systemClock } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle, TestServer } from '../test-support.ts';

/** The webhook renames `spec.color` of version 1 to `spec.hue` of version 2 and back. */
interface Shirt extends KubeObject {
  readonly spec: { readonly color?: string; readonly hue?: string };
}

function convert(object: Shirt, apiVersion: string): Shirt {
  const tint = object.spec.color ?? object.spec.hue ?? '';
  return { ...object, apiVersion, spec: apiVersion.endsWith('v1') ? { color: tint } : { hue: tint } };
}

let close = (): void => {};
let definition: object;

beforeAll(async () => {
  const authority = await createAuthority('conversion', systemClock);
  const { key, certificate } = await issueCertificate(
    authority,
    { commonName: 'conversion', hosts: ['127.0.0.1'] },
    systemClock,
  );
  const webhook = createServer({ key, cert: certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as {
        request: { uid: string; desiredAPIVersion: string; objects: Shirt[] };
      };
      const { uid, desiredAPIVersion, objects } = review.request;
      const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...review, response: { uid, convertedObjects, result: { status: 'Success' } } }));
    });
  });
  await new Promise<void>((resolve) => {
    webhook.listen(0, '127.0.0.1', resolve);
  });
  close = () => {
    webhook.closeAllConnections();
    webhook.close();
  };
  const clientConfig = {
    url: `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/convert`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
  };
  definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shirts.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'shirts', kind: 'Shirt' },
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      versions: [version('v1', 'color', true), version('v2', 'hue', false)],
    },
  };
});

afterAll(() => close());

const version = (name: string, field: string, storage: boolean) => {
  const spec = { type: 'object', properties: { [field]: { type: 'string' } } };
  return {
    name,
    served: true,
    storage,
    selectableFields: [{ jsonPath: `.spec.${field}` }],
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  };
};

const at = (name: string) => `/apis/example.com/${name}/namespaces/default/shirts`;
const shirt = (name: string, color: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Shirt',
  metadata: { name },
  spec: { color },
});

async function wardrobe(): Promise<TestServer> {
  const server = await TestServer.start();
  await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await settle();
  return server;
}

describe('selectable fields of a custom resource', () => {
  const namesOf = async (server: TestServer, url: string) =>
    ((await server.ok('GET', url)).items ?? []).map(({ metadata }) => metadata.name);

  it('are those of the version that is asked for', async () => {
    await using server = await wardrobe();
    await server.ok('POST', at('v1'), shirt('a', 'red'));
    await server.ok('POST', at('v1'), shirt('b', 'blue'));
    expect(await namesOf(server, `${at('v1')}?fieldSelector=spec.color%3Dred`)).toEqual(['a']);
    expect(await namesOf(server, `${at('v2')}?fieldSelector=spec.hue%3Dred`)).toEqual(['a']);
    expect(await namesOf(server, `${at('v2')}?fieldSelector=spec.hue%3Dgreen`)).toEqual([]);
    expect(await server.send('GET', `${at('v2')}?fieldSelector=spec.color%3Dred`)).toMatchObject({ code: 400 });
  });

  it('fill pages of a list up to their limit', async () => {
    await using server = await wardrobe();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      await server.ok('POST', at('v1'), shirt(name, 'ace'.includes(name) ? 'red' : 'blue'));
    const url = `${at('v2')}?limit=2&fieldSelector=spec.hue%3Dred`;
    const first = await server.ok('GET', url);
    expect(first.items?.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    const token = (first.metadata as { continue?: string }).continue ?? '';
    const second = await server.ok('GET', `${url}&continue=${token}`);
    expect(second.items?.map(({ metadata }) => metadata.name)).toEqual(['e']);
    expect((second.metadata as { continue?: string }).continue).toBe('');
  });

  it('decide what enters and leaves a watch', async () => {
    await using server = await wardrobe();
    await server.ok('POST', at('v1'), shirt('a', 'red'));
    using stored = await server.watch(`${at('v1')}?watch=1&fieldSelector=spec.color%3Dred`);
    using converted = await server.watch(`${at('v2')}?watch=1&fieldSelector=spec.hue%3Dred`);
    const paint = (color: string) =>
      server.ok('PATCH', `${at('v1')}/a`, JSON.stringify({ spec: { color } }), {
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    await paint('blue');
    await paint('red');
    await server.ok('DELETE', `${at('v1')}/a`);
    const expected = ['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a'];
    await expect.poll(() => stored.lines, { timeout: 15_000 }).toEqual(expected);
    await expect.poll(() => converted.lines, { timeout: 15_000 }).toEqual(expected);
  });
});

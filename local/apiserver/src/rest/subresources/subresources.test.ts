import type { KubeObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../registry/resource.ts';
import { ApiServer } from '../../server.ts';
import type { ApiResponse } from '../../request/api-response.ts';

const admin = { name: 'admin', groups: ['system:masters'] };
/** In no annotation, status or field that a subresource may show. */
const secret = 'only-in-the-object';
/** Subresources whose answer is the object itself. A user who may read them may read the object. */
const views = new Set(['status', 'approval', 'finalize', 'ephemeralcontainers', 'resize']);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

let server: ApiServer;
const resources: Resource[] = [];

beforeAll(async () => {
  server = await ApiServer.create({ disabledAdmissionPlugins: ['ServiceAccount'] });
  await server.define({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  } as never);
  resources.push(...server.resources.all());
  for (const resource of resources) {
    if (!resource.verbs.includes('get')) continue;
    const { namespaced, group, version, kind } = resource;
    await server.restore({
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { name: 'x', ...(namespaced ? { namespace: 'default' } : {}), annotations: { secret } },
    } as KubeObject);
  }
});
afterAll(() => server.close());

function pathOf({ group, version, namespaced, plural }: Resource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}/x`;
}

async function textOf(answer: ApiResponse): Promise<string> {
  if (answer.type !== 'stream') return JSON.stringify(answer);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a subresource', () => {
  it('is answered with its object only when it is a view of it, whatever the kind, name, method or path', async () => {
    const names = new Set(resources.flatMap(({ subresources }) => subresources.map(({ name }) => name)));
    const unknown = ['nothing', 'Status', 'proxy%2F', 'log', 'scale', 'token', '__proto__', 'constructor', ' '];
    const leaks: string[] = [];
    let asked = 0;
    for (const resource of resources)
      for (const name of new Set([...names, ...unknown]))
        for (const rest of ['', '/', '/healthz', '/a/b']) {
          if (views.has(name) && rest.length < 2 && resource.subresources.some((each) => each.name === name)) continue;
          for (const method of methods) {
            const path = `${pathOf(resource)}/${name}${rest}`;
            const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {};
            const headers = {
              'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
            };
            const answer = await server.handle({
              method,
              path,
              query: new URLSearchParams(),
              headers,
              user: admin,
              ...body,
            });
            asked++;
            if ((await textOf(answer)).includes(secret)) leaks.push(`${method} ${path} ${answer.code}`);
          }
        }
    expect(leaks).toEqual([]);
    expect(asked).toBeGreaterThan(10_000);
  });

  it.each([
    '/api/v1/nodes/x/proxy',
    '/api/v1/nodes/x/proxy/healthz',
    '/api/v1/namespaces/default/services/x/proxy',
    '/api/v1/namespaces/default/services/https:x:443/proxy/a/b',
    '/api/v1/namespaces/default/pods/x/proxy',
    '/api/v1/namespaces/default/pods/x:80/proxy/a',
  ])('that is a proxy of nothing is an error, and never the object: %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await server.handle({ method, path, query: new URLSearchParams(), headers: {}, user: admin });
      expect([400, 404, 503], method).toContain(answer.code);
      expect(answer).toMatchObject({ object: { kind: 'Status', status: 'Failure' } });
    }
  });
});

import { describe, expect, it } from 'vitest';
import { RevisionStore } from '../storage/revision-store.ts';
import { type AnyObject, settle, TestServer } from '../test-support.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

interface Changes {
  readonly name?: string;
  readonly names?: object;
  readonly versions?: object[];
}

const version = (name: string, storage: boolean, spec: object = {}, more: object = {}) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
  ...more,
});

const color = { color: { type: 'string' } };

function crd({ name = 'widgets', names = {}, versions = [version('v1', true, color)] }: Changes = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: name, kind: 'Widget', ...names },
      versions,
    },
  };
}

const widget = (
  name: string,
  spec: object = { color: 'red' },
  metadata: object = {},
  apiVersion = 'example.com/v1',
) => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});

async function define(server: TestServer, definition: object): Promise<void> {
  await server.ok('POST', definitions, definition);
  await settle();
}

async function redefine(server: TestServer, change: (spec: { versions: object[] }) => void): Promise<void> {
  const current = structuredClone(await server.ok('GET', `${definitions}/widgets.example.com`)) as AnyObject;
  change(current.spec as unknown as { versions: object[] });
  await server.ok('PUT', `${definitions}/widgets.example.com`, current);
  await settle();
}

function conditions(object: AnyObject): Record<string, string> {
  const list = (object.status?.conditions ?? []) as { type: string; status: string }[];
  return Object.fromEntries(list.map(({ type, status }) => [type, status]));
}

async function groupNames(server: TestServer): Promise<string[]> {
  const list = await server.ok('GET', '/apis');
  return (list.groups as { name: string }[]).map(({ name }) => name);
}

describe('a definition', () => {
  it('is served once its names are accepted, and shows up in discovery', async () => {
    await using server = await TestServer.start();
    expect((await server.send('GET', widgets)).code).toBe(404);
    await define(server, crd({ names: { shortNames: ['wd'], categories: ['all'] } }));
    const object = await server.ok('GET', `${definitions}/widgets.example.com`);
    expect(conditions(object)).toEqual({ NamesAccepted: 'True', Established: 'True' });
    expect(object.status).toMatchObject({
      acceptedNames: { plural: 'widgets', kind: 'Widget' },
      storedVersions: ['v1'],
    });
    expect(await groupNames(server)).toContain('example.com');
    const { resources } = (await server.ok('GET', '/apis/example.com/v1')) as unknown as { resources: object[] };
    expect(resources).toEqual([
      expect.objectContaining({
        name: 'widgets',
        kind: 'Widget',
        namespaced: true,
        shortNames: ['wd'],
        categories: ['all'],
      }),
    ]);
    await server.ok('POST', widgets, widget('w'));
    expect((await server.ok('GET', widgets)).kind).toBe('WidgetList');
  });

  it('whose names others have waits until they are free', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    await define(server, crd({ name: 'gadgets' }));
    const url = `${definitions}/gadgets.example.com`;
    expect(conditions(await server.ok('GET', url))).toMatchObject({ NamesAccepted: 'False', Established: 'False' });
    expect((await server.send('GET', '/apis/example.com/v1/namespaces/default/gadgets')).code).toBe(404);
    await server.ok('DELETE', `${definitions}/widgets.example.com`);
    await settle();
    expect(conditions(await server.ok('GET', url))).toMatchObject({ NamesAccepted: 'True', Established: 'True' });
    await server.ok('GET', '/apis/example.com/v1/namespaces/default/gadgets');
  });

  it('is deleted with its objects, and is removed from discovery', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    for (const name of ['a', 'b']) await server.ok('POST', widgets, widget(name));
    using watch = await server.watch(`${widgets}?watch=1`);
    await server.ok('DELETE', `${definitions}/widgets.example.com`);
    await settle();
    expect((await server.send('GET', `${definitions}/widgets.example.com`)).code).toBe(404);
    expect(watch.lines.filter((line) => line.startsWith('DELETED')).sort()).toEqual(['DELETED a', 'DELETED b']);
    expect((await server.send('GET', widgets)).code).toBe(404);
    expect(await groupNames(server)).not.toContain('example.com');
    await define(server, crd());
    expect((await server.ok('GET', widgets)).items).toEqual([]);
  });

  it('takes finalizers without a path, as many operators have them', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    const named = widget('named', { color: 'red' }, { finalizers: ['widgets.example.com'] });
    const { metadata } = await server.ok('POST', widgets, named);
    expect(metadata.finalizers).toEqual(['widgets.example.com']);
  });

  it('waits for objects that finalizers hold, and takes no new ones meanwhile', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    await server.ok('POST', widgets, widget('held', { color: 'red' }, { finalizers: ['example.com/wait'] }));
    await server.ok('DELETE', `${definitions}/widgets.example.com`);
    await settle();
    expect(conditions(await server.ok('GET', `${definitions}/widgets.example.com`)).Terminating).toBe('True');
    expect((await server.send('POST', widgets, widget('new'))).code).toBe(403);
    await server.ok(
      'PATCH',
      `${widgets}/held`,
      { metadata: { finalizers: null } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    await settle();
    expect((await server.send('GET', `${definitions}/widgets.example.com`)).code).toBe(404);
  });

  it('shows the same objects in all of its versions, and remembers which were stored', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    await server.ok('POST', widgets, widget('old'));
    await redefine(server, (spec) => {
      spec.versions = [version('v1', false, color), version('v2', true, color)];
    });
    const v2 = '/apis/example.com/v2/namespaces/default/widgets';
    expect((await server.ok('GET', `${v2}/old`)).apiVersion).toBe('example.com/v2');
    await server.ok('POST', v2, widget('new', { color: 'blue' }, {}, 'example.com/v2'));
    expect((await server.ok('GET', widgets)).items?.map(({ apiVersion }) => apiVersion)).toEqual([
      'example.com/v1',
      'example.com/v1',
    ]);
    const { status } = await server.ok('GET', `${definitions}/widgets.example.com`);
    expect(status?.storedVersions).toEqual(['v1', 'v2']);
    await redefine(server, (spec) => {
      spec.versions = [version('v1', false, color, { served: false }), version('v2', true, color)];
    });
    expect((await server.send('GET', widgets)).code).toBe(404);
    expect((await server.ok('GET', v2)).items).toHaveLength(2);
  });

  it('reads old objects by its new schema: unknown fields go, defaults come', async () => {
    await using server = await TestServer.start();
    await define(
      server,
      crd({ versions: [version('v1', true, { color: { type: 'string' }, size: { type: 'integer' } })] }),
    );
    await server.ok('POST', widgets, widget('w', { color: 'red', size: 3 }));
    await redefine(server, (spec) => {
      spec.versions = [version('v1', true, { color: { type: 'string' }, shape: { type: 'string', default: 'round' } })];
    });
    expect((await server.ok('GET', `${widgets}/w`)).spec).toEqual({ color: 'red', shape: 'round' });
    expect((await server.ok('GET', widgets)).items?.[0]?.spec).toEqual({ color: 'red', shape: 'round' });
  });

  it('is served again after a restart, with its objects', async () => {
    const storage = new RevisionStore();
    const first = await TestServer.start({ storage });
    await define(first, crd());
    await first.ok('POST', widgets, widget('w'));
    const second = await TestServer.start({ storage });
    expect((await second.ok('GET', `${widgets}/w`)).spec).toEqual({ color: 'red' });
    expect(second.errors).toEqual([]);
  });

  it('may change while its objects are written by many, and nothing is lost', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    const writes: Promise<{ code: number }>[] = [];
    for (let i = 0; i < 40; i++) {
      writes.push(server.send('POST', widgets, widget(`w${i}`)));
      if (i % 10 === 5)
        await redefine(
          server,
          (spec) => (spec.versions = [version('v1', true, { ...color, [`f${i}`]: { type: 'string' } })]),
        );
    }
    expect((await Promise.all(writes)).map(({ code }) => code)).toEqual(Array.from({ length: 40 }, () => 201));
    expect((await server.ok('GET', widgets)).items).toHaveLength(40);
  });
});

describe('discovery', () => {
  it('shows the same in both of its forms', async () => {
    await using server = await TestServer.start();
    await define(server, crd());
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    interface Group {
      metadata: { name?: string };
      versions: { version: string; resources: { resource: string; verbs: string[] }[] }[];
    }
    const aggregated = await server.send('GET', '/apis', undefined, { headers: { accept } });
    expect(aggregated.object.kind).toBe('APIGroupDiscoveryList');
    for (const { metadata, versions } of aggregated.object.items as unknown as Group[]) {
      for (const { version: name, resources } of versions) {
        const legacy = (await server.ok('GET', `/apis/${metadata.name}/${name}`)) as unknown as {
          resources: { name: string; verbs: string[] }[];
        };
        const plain = legacy.resources.filter((resource) => !resource.name.includes('/'));
        expect(plain.map((resource) => [resource.name, resource.verbs])).toEqual(
          resources.map(({ resource, verbs }) => [resource, verbs]),
        );
      }
    }
  });
});

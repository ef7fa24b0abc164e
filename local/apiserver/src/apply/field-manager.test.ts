import type { ManagedFieldsEntry, Status } from '@tektite/meta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyObject, ManualClock, settle, TestServer } from '../test-support.ts';

/** Who owns what, as seen by those who write. */

const applyHeaders = { 'content-type': 'application/apply-patch+yaml' };
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const configMaps = '/api/v1/namespaces/default/configmaps';

const configMap = (data: Record<string, string | null> | undefined, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', ...metadata },
  ...(data ? { data } : {}),
});

function apply(server: TestServer, url: string, manager: string, config: object, more = '') {
  return server.send('PATCH', `${url}?fieldManager=${manager}${more}`, config, { headers: applyHeaders });
}

/** `manager operation[/subresource]: f:a, f:b/f:c`, an entry a line. */
function owners(object: AnyObject): string[] {
  const paths = (set: object, prefix = ''): string[] =>
    Object.entries(set).flatMap(([key, child]) =>
      key === '.'
        ? [`${prefix}.`]
        : Object.keys(child as object).length === 0
          ? [prefix + key]
          : paths(child as object, `${prefix}${key}/`),
    );
  return (object.metadata.managedFields ?? []).map(
    ({ manager, operation, subresource, fieldsV1 }) =>
      `${manager} ${operation}${subresource ? `/${subresource}` : ''}: ${paths(fieldsV1 ?? {})
        .sort()
        .join(', ')}`,
  );
}

async function applied(
  server: TestServer,
  url: string,
  manager: string,
  config: object,
  more = '',
): Promise<AnyObject> {
  const answer = await apply(server, url, manager, config, more);
  expect(answer.object.message ?? '').toBe('');
  return answer.object;
}

describe('apply', () => {
  it('creates what is not there, and the manager owns what he said', async () => {
    await using server = await TestServer.start();
    const answer = await apply(server, `${configMaps}/x`, 'm', configMap({ a: '1' }, { labels: { l: 'v' } }));
    expect(answer.code).toBe(201);
    expect(owners(answer.object)).toEqual(['m Apply: f:data/f:a, f:metadata/f:labels/f:l']);
  });

  it('lets several managers each have their part, and removes what its last owner leaves out', async () => {
    await using server = await TestServer.start();
    const url = `${configMaps}/x`;
    await applied(server, url, 'one', configMap({ a: '1', both: 'x' }));
    const joined = await applied(server, url, 'two', configMap({ b: '2', both: 'x' }));
    expect(joined.data).toEqual({ a: '1', b: '2', both: 'x' });
    expect(owners(joined)).toEqual(['one Apply: f:data/f:a, f:data/f:both', 'two Apply: f:data/f:b, f:data/f:both']);
    const left = await applied(server, url, 'one', configMap(undefined));
    expect(left.data).toEqual({ b: '2', both: 'x' });
    expect(owners(left)).toEqual(['two Apply: f:data/f:b, f:data/f:both']);
    const gone = await applied(server, url, 'two', configMap({ b: '2' }));
    expect(gone.data).toEqual({ b: '2' });
  });

  it('refuses to change what others have, names every conflict, and takes it when forced', async () => {
    await using server = await TestServer.start();
    const url = `${configMaps}/x`;
    await applied(server, url, 'one', configMap({ a: '1', b: '1' }));
    const single = await apply(server, url, 'two', configMap({ a: '2' }));
    expect(single.code).toBe(409);
    expect(single.object.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.a');
    const refused = await apply(server, url, 'two', configMap({ a: '2', b: '2' }));
    expect(refused.object as Status).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.b' },
        ],
      },
    });
    const forced = await applied(server, url, 'two', configMap({ a: '2', b: '2' }), '&force=true');
    expect(owners(forced)).toEqual(['two Apply: f:data/f:a, f:data/f:b']);
    // The loser may apply the same values again: equal values do not conflict.
    const shared = await applied(server, url, 'one', configMap({ a: '2' }));
    expect(owners(shared)).toEqual(['one Apply: f:data/f:a', 'two Apply: f:data/f:a, f:data/f:b']);
  });

  it('gives to updates what they change, without asking', async () => {
    await using server = await TestServer.start();
    const url = `${configMaps}/x`;
    const object = await applied(server, url, 'one', configMap({ a: '1', b: '1' }));
    const changed = { ...object, data: { a: '2', b: '1' } };
    const updated = await server.ok('PUT', `${url}?fieldManager=kubectl-edit`, changed);
    expect(owners(updated)).toEqual(['one Apply: f:data/f:b', 'kubectl-edit Update: f:data/f:a']);
    const conflict = await apply(server, url, 'one', configMap({ a: '1', b: '1' }));
    expect(conflict.object.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a',
    );
  });

  it('hands a field over in three steps, as a controller takes over replicas', async () => {
    await using server = await TestServer.start();
    const url = `${deployments}/d`;
    const deployment = (replicas?: number) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await applied(server, url, 'user', deployment(3));
    await server.ok(
      'PATCH',
      `${url}/scale?fieldManager=scaler`,
      { spec: { replicas: 5 } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    expect((await apply(server, url, 'user', deployment(3))).code).toBe(409);
    const left = await applied(server, url, 'user', deployment());
    expect(left.spec?.replicas).toBe(5);
    expect(owners(left).filter((line) => line.includes('f:replicas'))).toEqual([
      'scaler Update/scale: f:spec/f:replicas',
    ]);
  });

  it('merges containers by name, in the order of the last apply, and prunes those left out', async () => {
    await using server = await TestServer.start();
    const url = `${deployments}/d`;
    const deployment = (containers: object[]) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers } },
      },
    });
    const names = (object: AnyObject) =>
      (object.spec as { template: { spec: { containers: { name: string }[] } } }).template.spec.containers.map(
        ({ name }) => name,
      );
    await applied(
      server,
      url,
      'one',
      deployment([
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ]),
    );
    const added = await applied(
      server,
      url,
      'two',
      deployment([
        { name: 'c', image: '1' },
        { name: 'b', image: '1' },
      ]),
    );
    expect(names(added)).toEqual(['a', 'c', 'b']);
    const fewer = await applied(server, url, 'one', deployment([{ name: 'a', image: '1' }]));
    expect(names(fewer)).toEqual(['a', 'c', 'b']);
    const reversed = await applied(server, url, 'two', deployment([{ name: 'b', image: '1' }]));
    expect(names(reversed)).toEqual(['a', 'b']);
  });

  it('credits fields without managers to before-first-apply', async () => {
    await using server = await TestServer.start();
    const url = `${configMaps}/x`;
    await server.ok('POST', `${configMaps}?fieldManager=creator`, configMap({ a: '1', b: '1' }));
    await server.ok(
      'PATCH',
      url,
      { metadata: { managedFields: [{}] } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    expect((await server.ok('GET', url)).metadata.managedFields).toBeUndefined();
    const conflict = await apply(server, url, 'm', configMap({ a: '2' }));
    expect(conflict.object.message).toContain('conflict with "before-first-apply" using v1: .data.a');
    const object = await applied(server, url, 'm', configMap({ a: '1' }));
    expect(owners(object)).toEqual([
      'm Apply: f:data/f:a',
      'before-first-apply Update: f:data/., f:data/f:a, f:data/f:b',
    ]);
  });

  it('lets kubectl take over what it had applied from the client', async () => {
    await using server = await TestServer.start();
    const url = `${configMaps}/x`;
    const old = configMap({ a: '1' });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(old) };
    await server.ok(
      'POST',
      `${configMaps}?fieldManager=kubectl-client-side-apply`,
      configMap({ a: '1' }, { annotations }),
    );
    expect((await apply(server, url, 'other', configMap({ a: '2' }))).code).toBe(409);
    const object = await applied(server, url, 'kubectl', configMap({ a: '2' }));
    expect(object.data).toEqual({ a: '2' });
    expect(
      JSON.parse(object.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '{}'),
    ).toMatchObject({ data: { a: '2' } });
  });

  it('keeps the status out of the hands of those who apply the object, and the other way round', async () => {
    await using server = await TestServer.start();
    const url = '/api/v1/namespaces/default/resourcequotas/q';
    const quota = (spec: string, status: string) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { pods: spec } },
      status: { hard: { pods: status } },
    });
    const created = await applied(server, url, 'm', quota('1', '1'));
    expect(created.status?.hard).toBeUndefined();
    const changed = await applied(server, `${url}/status`, 's', quota('2', '2'));
    expect(changed).toMatchObject({ spec: { hard: { pods: '1' } }, status: { hard: { pods: '2' } } });
    expect(owners(changed)).toEqual(['m Apply: f:spec/f:hard/f:pods', 's Apply/status: f:status/f:hard/f:pods']);
  });

  it('is refused without a manager, with managedFields, with unknown fields, and for another name', async () => {
    await using server = await TestServer.start();
    const send = (query: string, config: object) =>
      server.send('PATCH', `${configMaps}/x?${query}`, config, { headers: applyHeaders });
    expect((await send('', configMap({}))).object.message).toContain(
      'fieldManager: Required value: is required for apply patch',
    );
    expect((await send('fieldManager=m', configMap({}, { managedFields: [] }))).object.message).toBe(
      'metadata.managedFields must be nil',
    );
    expect((await send('fieldManager=m', { ...configMap({}), oops: 1 })).object.message).toContain(
      '.oops: field not declared in schema',
    );
    expect((await send('fieldManager=m', configMap({}, { name: 'y' }))).object.message).toContain(
      'does not match the name on the URL',
    );
    expect((await send('fieldManager=m', configMap({}, { uid: 'u' }))).code).toBe(409);
    const other = await server.send(
      'PATCH',
      `${configMaps}/x?force=true&fieldManager=m`,
      {},
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    expect(other.object.message).toContain('force: Forbidden: may not be specified for non-apply patch');
  });

  it('keeps the number of updaters small, the oldest becoming one', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    await server.ok('POST', `${configMaps}?fieldManager=m0`, configMap({ k0: '0' }));
    for (let i = 1; i < 15; i++) {
      clock.advance(1);
      await server.ok(
        'PATCH',
        `${configMaps}/x?fieldManager=m${i}`,
        { data: { [`k${i}`]: 'v' } },
        {
          headers: { 'content-type': 'application/merge-patch+json' },
        },
      );
    }
    const object = await server.ok('GET', `${configMaps}/x`);
    expect(object.metadata.managedFields).toHaveLength(10);
    expect(object.metadata.managedFields?.[0]?.manager).toBe('ancient-changes');
    expect(owners(object)[0]).toContain('f:data/f:k0');
    expect(owners(object)[0]).toContain('f:data/f:k5');
  });

  it('changes no time and no revision when it says the same again', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    const first = await applied(server, `${configMaps}/x`, 'm', configMap({ a: '1' }));
    clock.advance(100);
    const second = await applied(server, `${configMaps}/x`, 'm', configMap({ a: '1' }));
    expect(second).toEqual(first);
  });
});

describe('records that clients send', () => {
  const entry = (fields: unknown, more: Partial<ManagedFieldsEntry> = {}) => ({
    manager: 'odd',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...more,
  });

  it.each<[string, unknown]>([
    ['a number for a field', { 'f:data': 5 }],
    ['a list for a field', { 'f:data': [] }],
    ['null for a field', { 'f:data': null }],
    ['keys that are no JSON', { 'f:data': { 'k:{': {} } }],
    ['values that are no JSON', { 'f:data': { 'v:': {} } }],
    ['an index that is none', { 'f:data': { 'i:x': {} } }],
    ['names that every object has', { constructor: {}, toString: { valueOf: {} } }],
  ])('are not believed when they have %s; those of the object stay', async (_, fields) => {
    await using server = await TestServer.start();
    const created = await server.ok('POST', `${configMaps}?fieldManager=m`, configMap({ a: '1' }));
    const updated = await server.ok('PUT', `${configMaps}/x?fieldManager=m2`, {
      ...created,
      metadata: { ...created.metadata, managedFields: [entry(fields)] },
      data: { a: '1', b: '2' },
    });
    expect(owners(updated)).toEqual(['m Update: f:data/., f:data/f:a', 'm2 Update: f:data/f:b']);
    expect((await apply(server, `${configMaps}/x`, 'n', configMap({ a: '2' }))).code).toBe(409);
  });

  it('are believed when they make sense; elements from the future are left out', async () => {
    await using server = await TestServer.start();
    const created = await server.ok('POST', `${configMaps}?fieldManager=m`, configMap({ a: '1' }));
    const updated = await server.ok('PUT', `${configMaps}/x?fieldManager=m`, {
      ...created,
      metadata: { ...created.metadata, managedFields: [entry({ 'f:data': { 'f:a': {}, 'z:new': {} } })] },
    });
    expect(owners(updated)).toEqual(['odd Update: f:data/f:a']);
  });

  it('are not believed from an admission plugin either', async () => {
    await using server = await TestServer.start({
      admission: [
        {
          name: 'Careless',
          mutate: ({ object }) => {
            if (object?.kind === 'ConfigMap')
              object.metadata.managedFields = [{ operation: 'Delete' }] as unknown as ManagedFieldsEntry[];
          },
        },
      ],
    });
    const answer = await server.send('POST', `${configMaps}?fieldManager=m`, configMap({ a: '1' }));
    expect(owners(answer.object)).toEqual(['m Update: f:data/., f:data/f:a']);
    expect(JSON.stringify(answer.headers)).toContain('.metadata.managedFields was in an invalid state after admission');
  });
});

describe('custom resources', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    ports: {
                      type: 'array',
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['port'],
                      items: {
                        type: 'object',
                        required: ['port'],
                        properties: { port: { type: 'integer' }, name: { type: 'string' } },
                      },
                    },
                    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
  const url = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec });

  it('are applied by their own schema: list-maps, sets and free fields', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await settle();
    await applied(
      server,
      `${url}/w`,
      'one',
      widget({ ports: [{ port: 1, name: 'a' }], tags: ['x', 'y'], free: { a: { b: 1 } } }),
    );
    const both = await applied(
      server,
      `${url}/w`,
      'two',
      widget({ ports: [{ port: 2 }], tags: ['z'], free: { a: { c: 2 } } }),
    );
    expect(both.spec).toEqual({
      ports: [{ port: 1, name: 'a' }, { port: 2 }],
      tags: ['x', 'y', 'z'],
      free: { a: { b: 1, c: 2 } },
    });
    const less = await applied(server, `${url}/w`, 'one', widget({ tags: ['y'] }));
    expect(less.spec).toEqual({ ports: [{ port: 2 }], tags: ['y', 'z'], free: { a: { c: 2 } } });
  });

  it('that were written before their list had keys cannot be applied, which is said', async () => {
    await using server = await TestServer.start();
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const withList = (list: object) => {
      const definition = structuredClone(crd) as { spec: { versions: { schema: object }[] } };
      for (const version of definition.spec.versions) {
        const spec = { type: 'object', properties: { free: { type: 'array', ...list } } };
        version.schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
      }
      return definition;
    };
    await server.ok(
      'POST',
      definitions,
      withList({ items: { type: 'object', properties: { other: { type: 'integer' } } } }),
    );
    await settle();
    await server.ok('POST', url, widget({ free: [{ other: 1 }] }));
    const strict = withList({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, other: { type: 'integer' } },
      },
    });
    const current = await server.ok('GET', `${definitions}/widgets.example.com`);
    await server.ok('PUT', `${definitions}/widgets.example.com`, { ...current, spec: strict.spec });
    await settle();
    const answer = await apply(server, `${url}/w`, 'm', widget({ free: [{ name: 'a' }] }));
    expect(answer.code).toBe(500);
    expect(answer.object.message).toMatch(
      /^failed to create typed live object \(default\/w; example.com\/v1, Kind=Widget\): \.spec\.free: element 0: associative list with keys/,
    );
  });

  const word = fc.constantFrom('a', 'b', 'c');
  // Nothing empty: what loses all its content to pruning is null for a moment, upstream too, and not the same again.
  const spec = fc.record(
    {
      ports: fc.uniqueArray(fc.record({ port: fc.nat(3), name: word }, { requiredKeys: ['port'] }), {
        selector: ({ port }) => port,
        minLength: 1,
        maxLength: 3,
      }),
      tags: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      free: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 })), {
        minKeys: 1,
        maxKeys: 2,
      }),
    },
    { requiredKeys: ['tags'] },
  );

  it('are as configured whatever was applied before by whom, and applying the same twice changes nothing', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await settle();
    const steps = fc.array(fc.record({ manager: fc.constantFrom('one', 'two'), spec }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(steps, async (actions) => {
        for (const action of actions) {
          const once = await applied(server, `${url}/w`, action.manager, widget(action.spec), '&force=true');
          const twice = await applied(server, `${url}/w`, action.manager, widget(action.spec), '&force=true');
          expect(twice).toEqual(once);
          expect(once.spec).toMatchObject(contained(action.spec));
        }
        await server.ok('DELETE', `${url}/w`);
      }),
      { numRuns: 40 },
    );
    expect((await server.send('GET', `${url}/w`)).code).toBe(404);
  });

  /** The fields that must be in the object: all applied fields, except the order and company of list elements. */
  function contained(value: { ports?: { port: number }[]; tags?: string[]; free?: object }): object {
    return {
      ...(value.free ? { free: value.free } : {}),
      ...(value.tags?.length ? { tags: expect.arrayContaining(value.tags) } : {}),
      ...(value.ports?.length
        ? { ports: expect.arrayContaining(value.ports.map((port) => expect.objectContaining(port))) }
        : {}),
    };
  }
});

import { describe, expect, it } from 'vitest';
import { accepts, Attacker, checkPrototypes, define, patchTypes, prepared } from './bad-input.cases.ts';
import { settle } from './test-support.ts';

/** Input that is made to hurt: to break the parser, to fill the memory, to take the time. */

describe('hostile input', () => {
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const json = { 'content-type': 'application/json' };
  const yaml = { 'content-type': 'application/yaml' };
  const merge = 'application/merge-patch+json';
  const apply = 'application/apply-patch+yaml';

  it('that is no JSON, no YAML or no UTF-8 is refused', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    const brokenJson = [
      '',
      ' ',
      '{',
      '[',
      '}',
      'nul',
      '1',
      '"x"',
      'true',
      '[]',
      '{"a":}',
      '{"kind":"ConfigMap",}',
      "{'a':1}",
      '{a:1}',
      '\ufeff{',
      '{"a":1}{"b":2}',
      '{"a":"\\x"}',
      '{"a":"\n"}',
      '{"a":01}',
      '{"a":+1}',
      '{"a":NaN}',
      `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}`,
    ];
    for (const text of brokenJson)
      for (const url of [configMaps, widgets])
        expect((await attacker.send('POST', url, Buffer.from(text), json)).code, `${text} to ${url}`).toBe(400);
    const brokenYaml = [
      'a: [',
      '\t- x',
      'a: b: c',
      '&a [*a]',
      '*x',
      '? {a: b}\n: c',
      '%YAML 9.9\n---\na: b',
      '!!binary x',
      '- - - -',
      'a: "\\q"',
      '{',
      '---\n...\n---',
      '!<tag:x> {}',
      'a: !!js/function x',
    ];
    for (const text of brokenYaml)
      for (const url of [configMaps, widgets])
        expect([400, 422], `${text} to ${url}`).toContain(
          (await attacker.send('POST', url, Buffer.from(text), yaml)).code,
        );
    for (const bytes of [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80], [0]]) {
      expect((await attacker.send('POST', configMaps, Buffer.from(bytes), json)).code).toBe(400);
      expect((await attacker.send('POST', configMaps, Buffer.from(bytes), yaml)).code).toBe(400);
      // Inside a text, bytes that are no UTF-8 become the sign for that.
      const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"utf"},"data":{"x":"';
      const body = Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from('"}}')]);
      await attacker.send('POST', configMaps, body, json);
    }
    attacker.report();
  });

  it('that grows when it is read does not', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    const laughs = Array.from(
      { length: 30 },
      (_, i) => `a${i}: &a${i} [${Array.from({ length: 9 }, () => (i === 0 ? 'lol' : `*a${i - 1}`)).join(', ')}]`,
    );
    for (const body of [
      laughs.join('\n'),
      `{"a":`.repeat(100_000),
      '['.repeat(1_000_000),
      `${'- '.repeat(20_000)}x`,
      `a: ${'{a: '.repeat(20_000)}`,
      'a:\n '.repeat(3000),
      Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      `"${'\\u0041'.repeat(300_000)}"`,
      `a: ${'&x '.repeat(10_000)}`,
      `? ${'? '.repeat(20_000)}`,
      `a: >\n${' x\n'.repeat(300_000)}`,
      `a: ${'9'.repeat(1_000_000)}`,
      `{"a":${'9'.repeat(1_000_000)}}`,
      `{"a":1e${'9'.repeat(100_000)}}`,
      `{${'"a":1,'.repeat(40_000)}"b":2}`,
    ])
      for (const headers of [json, yaml])
        for (const url of [configMaps, widgets]) {
          const answer = await attacker.send('POST', url, Buffer.from(body), headers);
          expect([400, 422], body.slice(0, 50)).toContain(answer.code);
        }
    attacker.report();
    expect(attacker.slowest.milliseconds, attacker.slowest.what.slice(0, 200)).toBeLessThan(2000);
  }, 60_000);

  it('in any field of the metadata is refused or read, never stumbled over', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    const fields = [
      'name',
      'generateName',
      'namespace',
      'selfLink',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'labels',
      'annotations',
      'ownerReferences',
      'finalizers',
      'managedFields',
      'clusterName',
      '__proto__',
      'constructor',
      'unknown',
    ];
    const wrong: unknown[] = [
      null,
      true,
      0,
      -1,
      1.5,
      1e300,
      '',
      'x',
      'X Y',
      '../x',
      '2026-03-01T00:00:00Z',
      [],
      [null],
      [1],
      ['x'],
      [[]],
      [{}],
      {},
      { a: null },
      { a: 1 },
      { a: [] },
      { '': '' },
      { 'bad key': 'v' },
      { a: 'bad value!' },
      [{ uid: 1 }],
      [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u', controller: 'yes' }],
      [{ apiVersion: '', kind: '', name: '', uid: '' }],
      [{ manager: 1 }],
      [{ operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:a': 1 }, apiVersion: 'v1' }],
      [{ fieldsV1: [] }],
    ];
    const large: unknown[] = [
      'x'.repeat(100_000),
      Array.from({ length: 5000 }, (_, i) => `example.com/f${i}`),
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v'])),
      Array.from({ length: 20_000 }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })),
    ];
    for (const field of fields) {
      const canBeLarge = ['name', 'labels', 'annotations', 'ownerReferences', 'finalizers'].includes(field);
      for (const value of canBeLarge ? [...wrong, ...large] : wrong) {
        for (const [url, base] of [
          [configMaps, { apiVersion: 'v1', kind: 'ConfigMap' }],
          [widgets, { apiVersion: 'example.com/v1', kind: 'Widget', spec: { color: 'red' } }],
        ] as const) {
          const metadata = { name: 'm' } as Record<string, unknown>;
          define(metadata, field, value);
          const body = Buffer.from(JSON.stringify({ ...base, metadata }));
          await attacker.send('POST', url, body, json);
          await attacker.send('PUT', `${url}/m`, body, json);
          for (const type of [merge, apply])
            await attacker.send('PATCH', `${url}/m?fieldManager=f`, body, { 'content-type': type });
          await attacker.send('PATCH', `${url}/m`, Buffer.from('{"metadata":{"finalizers":null}}'), {
            'content-type': merge,
          });
          await attacker.send('DELETE', `${url}/m`);
        }
      }
    }
    attacker.report();
    checkPrototypes();
    expect(attacker.slowest.milliseconds, attacker.slowest.what.slice(0, 200)).toBeLessThan(2000);
  }, 120_000);

  it('that is deep, but not too deep, goes all the way', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    const nested = (depth: number) => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as unknown;
    const deep = (depth: number, name = 'deep') =>
      Buffer.from(
        JSON.stringify({
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name },
          spec: { color: 'red', free: nested(depth) },
        }),
      );
    expect((await attacker.send('POST', widgets, deep(900), json)).code).toBe(201);
    expect((await attacker.send('POST', widgets, deep(1100, 'deeper'), json)).code).toBe(400);
    const url = `${widgets}/deep`;
    for (const accept of accepts.slice(0, 8)) await attacker.send('GET', url, undefined, { accept });
    expect((await attacker.send('GET', '/apis/example.com/v2/namespaces/default/widgets/deep')).code).toBe(200);
    expect(
      (
        await attacker.send('PATCH', `${url}?fieldManager=m&force=true`, deep(899), {
          'content-type': apply,
        })
      ).code,
    ).toBe(200);
    expect((await attacker.send('PATCH', url, deep(901), { 'content-type': merge })).code).toBe(200);
    const copies = JSON.stringify([{ op: 'copy', from: '/spec/free', path: `/spec/free${'/a'.repeat(890)}/b` }]);
    expect(
      (await attacker.send('PATCH', url, Buffer.from(copies), { 'content-type': 'application/json-patch+json' })).code,
    ).toBeLessThan(500);
    expect((await attacker.send('DELETE', url)).code).toBe(200);
    attacker.report();
  });

  it('in the schemas and rules of definitions takes no time of others', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    let count = 0;
    const attempt = async (schema: object, ...objects: object[]) => {
      const plural = `things${count++}`;
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.example.com` },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural, kind: `Thing${count}` },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
            },
          ],
        },
      };
      const { code } = await attacker.send('POST', definitions, Buffer.from(JSON.stringify(definition)), json);
      await settle();
      const codes = [code];
      for (const spec of objects) {
        const body = { apiVersion: 'example.com/v1', kind: `Thing${count}`, metadata: { generateName: 'x' }, spec };
        codes.push(
          (await attacker.send('POST', `/apis/example.com/v1/${plural}`, Buffer.from(JSON.stringify(body)), json)).code,
        );
      }
      return codes;
    };
    const text = (pattern: string) => ({ type: 'object', properties: { x: { type: 'string', pattern } } });
    const evil = `${'a'.repeat(50_000)}!`;
    for (const pattern of [
      '^(a+)+$',
      '^(a|a)*$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(.*)*(.*)*(.*)*x',
      'a{1,500}a{1,500}!?b',
    ])
      expect(await attempt(text(pattern), { x: evil })).toEqual([201, 422]);
    for (const pattern of ['(', '[', '(?=x)', '\\', 'a{100000}', '(?<=x)y'])
      expect((await attempt(text(pattern)))[0]).toBe(422);
    const rule = (
      expression: string,
      schema: object = {
        type: 'object',
        properties: { x: { type: 'string' }, l: { type: 'array', items: { type: 'string' } } },
      },
    ) => ({
      ...schema,
      'x-kubernetes-validations': [{ rule: expression }],
    });
    for (const expression of [
      'self.l.all(a, self.l.all(b, self.l.all(c, a != b && b != c)))',
      `self.x.matches('${'(a*)*'.repeat(50)}b')`,
      '('.repeat(5000),
      '1 + '.repeat(5000) + '1 == 1',
      `'${'x'.repeat(200_000)}' == self.x`,
      '!'.repeat(10_000) + 'true',
      '['.repeat(2000) + ']'.repeat(2000) + ' == []',
      'self.x.x.x.x',
      'self.l.map(a, self.l.map(b, a + b)).size() > 0',
      'dyn(self) == dyn(self)',
    ])
      await attempt(rule(expression), { x: evil, l: Array.from({ length: 200 }, (_, i) => `v${i}`) }, { x: '' });
    const bounded = {
      type: 'object',
      properties: { l: { type: 'array', maxItems: 200, items: { type: 'string', maxLength: 20 } } },
    };
    await attempt(rule('self.l.all(a, self.l.all(b, a == b || a != b))', bounded), {
      l: Array.from({ length: 200 }, (_, i) => `v${i}`),
    });
    let deep: object = { type: 'string' };
    for (let i = 0; i < 300; i++) deep = { type: 'object', properties: { a: deep } };
    await attempt(deep, {});
    await attempt(
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: 'string', default: 'x' }]),
        ),
      },
      {},
      { p1: 1 },
    );
    await attempt(
      {
        type: 'object',
        properties: { x: { type: 'string', enum: Array.from({ length: 20_000 }, (_, i) => `e${i}`) } },
      },
      { x: 'no' },
    );
    await attempt(
      {
        type: 'object',
        properties: { l: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } },
      },
      { l: Array.from({ length: 50_000 }, (_, i) => `v${i}`) },
    );
    attacker.report();
    expect(attacker.slowest.milliseconds, attacker.slowest.what.slice(0, 300)).toBeLessThan(2500);
  }, 120_000);

  it('that is large in one way or another takes no time of others', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, 1);
    const numbers = Array.from({ length: 20_000 }, (_, i) => i);
    const pod = (spec: object, metadata: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ...metadata },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    });
    const pods = '/api/v1/namespaces/default/pods';
    const many = numbers.slice(0, 2000);
    const names = many.map((i) => `n${i}`);
    const bodies: [string, object][] = [
      [
        configMaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations: { x: 'y'.repeat(300_000) } } },
      ],
      [
        configMaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'b' },
          data: Object.fromEntries(numbers.map((i) => [`k${i}`, 'v'])),
        },
      ],
      [
        configMaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c', labels: Object.fromEntries(numbers.map((i) => [`k${i}`, 'v'])) },
        },
      ],
      [
        '/api/v1/namespaces/default/resourcequotas',
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q' },
          spec: { scopes: numbers.map((i) => `scope${i}`) },
        },
      ],
      [
        '/apis/storage.k8s.io/v1/storageclasses',
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 's' },
          provisioner: 'p',
          allowedTopologies: numbers.map(() => ({})),
        },
      ],
      [
        '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'r' },
          rules: [{ verbs: names, apiGroups: names, resources: names }],
        },
      ],
      [pods, pod({ containers: many.map((i) => ({ name: `c${i}`, image: 'i' })) })],
      [pods, pod({ containers: many.map(() => ({ name: 'same', image: 'i' })) })],
      [
        pods,
        pod({
          containers: [{ name: 'c', image: 'i', ports: many.map((i) => ({ containerPort: 1 + i, hostPort: 1 + i })) }],
        }),
      ],
      [
        pods,
        pod({
          containers: [{ name: 'c', image: 'i', env: many.map((i) => ({ name: `E${i}`, value: '$(X)'.repeat(20) })) }],
        }),
      ],
      [pods, pod({ volumes: many.map((i) => ({ name: `v${i}`, emptyDir: {} })) })],
      [pods, pod({ tolerations: many.map((i) => ({ key: `k${i}`, operator: 'Exists' })) })],
      [
        '/api/v1/namespaces/default/services',
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: { ports: many.map((i) => ({ name: `p${i}`, port: 1 + (i % 60_000) })) },
        },
      ],
      [
        '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'r' },
          rules: many.map((i) => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] })),
        },
      ],
    ];
    for (const [url, body] of bodies) {
      const bytes = Buffer.from(JSON.stringify(body));
      await attacker.send('POST', url, bytes, json);
      const item = `${url}/${(body as { metadata: { name: string } }).metadata.name}`;
      await attacker.send('PUT', item, bytes, json);
      for (const type of patchTypes)
        await attacker.send('PATCH', `${item}?fieldManager=n&force=true`, bytes, { 'content-type': type });
      await attacker.send('GET', item, undefined, { accept: accepts[5] as string });
    }
    const selectors = [
      numbers.map((i) => `k${i}=v`).join(','),
      `a in (${numbers.map((i) => `v${i}`).join(',')})`,
      '('.repeat(50_000),
      `a in (${'('.repeat(10_000)}`,
      '!'.repeat(50_000),
      `${'a,'.repeat(20_000)}a`,
    ];
    for (const selector of selectors) {
      await attacker.send('GET', `${configMaps}?labelSelector=${encodeURIComponent(selector)}`);
      await attacker.send('GET', `${configMaps}?fieldSelector=${encodeURIComponent(selector)}`);
    }
    attacker.report();
    expect(attacker.slowest.milliseconds, attacker.slowest.what.slice(0, 300)).toBeLessThan(2500);
  }, 120_000);
});

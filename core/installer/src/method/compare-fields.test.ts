import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { compareFields } from './compare-fields.ts';
import { droppedFields } from './dropped-fields.ts';

const schema = findBuiltinKind('', 'v1', 'Pod')?.schema?.properties?.['spec'];
const place = { path: 'spec', pointer: '/spec' };
const container = (more: object) => ({ containers: [{ name: 'web', ...more }] });

const same: readonly (readonly [string, unknown, unknown])[] = [
  [
    'what the server added',
    container({ image: 'a' }),
    { ...container({ image: 'a', imagePullPolicy: 'Always' }), dnsPolicy: 'x' },
  ],
  [
    'quantities in another form',
    container({ resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: 0.5 } } }),
    container({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }),
  ],
  [
    'a key that is left out for its default',
    container({ ports: [{ containerPort: 80 }] }),
    container({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
  ],
  ['what says nothing', { volumes: [], nodeSelector: {}, hostNetwork: false, priority: null }, {}],
  [
    'an empty value that the server dropped',
    container({ env: [{ name: 'A', value: '' }] }),
    container({ env: [{ name: 'A' }] }),
  ],
  ['keys of others in a mapping', { nodeSelector: { a: '1' } }, { nodeSelector: { a: '1', b: '2' } }],
];

const different: readonly (readonly [string, unknown, unknown, object])[] = [
  [
    'a value',
    container({ image: 'a' }),
    container({ image: 'b' }),
    { path: 'spec.containers[0].image', why: 'changed' },
  ],
  ['a removed field', { serviceAccountName: 'x' }, {}, { path: 'spec.serviceAccountName', why: 'missing' }],
  [
    'a removed element',
    container({ env: [{ name: 'A', value: '1' }] }),
    container({ env: [] }),
    { path: 'spec.containers[0].env[0]', why: 'missing' },
  ],
  [
    'an element that others added',
    container({}),
    { containers: [{ name: 'sidecar' }, { name: 'web' }] },
    {
      path: 'spec.containers',
      why: 'extra',
      patch: { op: 'replace', path: '/spec/containers', value: [{ name: 'web' }] },
    },
  ],
  [
    'another order of arguments',
    container({ args: ['a', 'b'] }),
    container({ args: ['b', 'a'] }),
    { path: 'spec.containers[0].args[0]', why: 'changed' },
  ],
  [
    'more arguments',
    container({ args: ['a'] }),
    container({ args: ['a', 'b'] }),
    { path: 'spec.containers[0].args', why: 'changed' },
  ],
  [
    'another amount',
    container({ resources: { limits: { cpu: '1' } } }),
    container({ resources: { limits: { cpu: '2' } } }),
    { path: 'spec.containers[0].resources.limits.cpu', why: 'changed' },
  ],
  [
    'another kind of value',
    { nodeSelector: { a: '1' } },
    { nodeSelector: 'x' },
    { path: 'spec.nodeSelector', why: 'changed' },
  ],
  [
    'a key with odd characters',
    { nodeSelector: { 'a.b/c': '1' } },
    { nodeSelector: { 'a.b/c': '2' } },
    { path: 'spec.nodeSelector["a.b/c"]', why: 'changed' },
  ],
  [
    'tolerations, which are one value',
    { tolerations: [{ key: 'a' }] },
    { tolerations: [{ key: 'a' }, { key: 'b' }] },
    { path: 'spec.tolerations', why: 'changed' },
  ],
];

describe('comparing fields', () => {
  it.each(same)('does not mind %s', (_what, wanted, live) => {
    expect(compareFields(wanted, live, schema, place)).toEqual([]);
  });

  it.each(different)('sees %s', (_what, wanted, live, expected) => {
    expect(compareFields(wanted, live, schema, place)[0]).toMatchObject(expected);
  });

  it('puts elements in the order that is wanted, and finds what is different in them by their keys', () => {
    const [a, b] = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const live = container({ env: [b, { name: 'X' }, { ...a, value: '3' }] });
    expect(compareFields(container({ env: [a, b] }), live, schema, place)).toEqual([
      {
        path: 'spec.containers[0].env',
        why: 'extra',
        patch: { op: 'replace', path: '/spec/containers/0/env', value: [{ ...a, value: '3' }, b] },
      },
      { path: 'spec.containers[0].env[2].value', why: 'changed' },
    ]);
    const turned = compareFields(container({ env: [a, b] }), container({ env: [b, a] }), schema, place);
    expect(turned.map(({ why }) => why)).toEqual(['order']);
  });

  it('compares elements whose keys are not unique by their places', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(compareFields(container({ env }), container({ env }), schema, place)).toEqual([]);
    expect(compareFields(container({ env }), container({ env: env.toReversed() }), schema, place)).toHaveLength(2);
  });

  it('knows no field by its prototype', () => {
    const wanted = JSON.parse('{"nodeSelector":{"__proto__":"x","constructor":"y"}}') as object;
    expect(compareFields(wanted, { nodeSelector: {} }, schema, place)).toHaveLength(2);
  });
});

describe('fields that were applied and are not wanted any more', () => {
  const owned = {
    'f:nodeSelector': { '.': {}, 'f:a': {}, 'f:b': {} },
    'f:containers': {
      'k:{"name":"web"}': {
        '.': {},
        'f:name': {},
        'f:image': {},
        'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
      },
    },
  };
  const all = { nodeSelector: { a: '1', b: '2' }, ...container({ image: 'a', ports: [{ containerPort: 80 }] }) };

  it.each([
    ['nothing', all, []],
    ['a key', { ...all, nodeSelector: { a: '1' } }, ['spec.nodeSelector.b']],
    ['a whole mapping', container({ image: 'a', ports: [{ containerPort: 80 }] }), ['spec.nodeSelector']],
    [
      'a field of an element',
      { ...all, ...container({ ports: [{ containerPort: 80 }] }) },
      ['spec.containers[{"name":"web"}].image'],
    ],
    ['an element', { ...all, containers: [] }, ['spec.containers[{"name":"web"}]']],
  ] as const)('are found: %s', (_what, wanted, paths) => {
    expect(droppedFields(owned, wanted, schema, place).map(({ path }) => path)).toEqual(paths);
  });
});

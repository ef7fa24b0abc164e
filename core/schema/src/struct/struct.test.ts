import { decodeStruct, hadEmptyMap, unknownFields } from '@tektite/go';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from '../kind/print-definition.ts';
import { CrdSchemas, schemaWithout } from './crd-schema.ts';
import { defineStructKind } from './define-struct-kind.ts';
import type { StructValue } from './field.ts';
import { go } from './go.ts';
import type { Struct } from './struct.ts';

const nodeFields = {
  name: go.string().required(),
  kind: go.string('NodeKind'),
  sizes: go.list(go.int32()).named('Sizes'),
  labels: go.map(go.string(), 'Label').remembersEmpty(),
  volume: go.pointer(go.builtin('core/v1.EmptyDirVolumeSource')),
  timeout: go.pointer(go.duration()),
  enabled: go.pointer(go.bool()),
  note: go.string().always(),
  ports: go.list(go.builtin('core/v1.ContainerPort')).keyedBy('containerPort', 'protocol'),
  resources: go.string().legacy('v1beta1'),
  count: go.int().only('v1'),
  children: go.list(go.lazy<Node>(() => Node)).schemaless(),
  ...go.embed('Reference', { resolver: go.string() }),
  args: go
    .list(go.string())
    .named('Args')
    .in({ v1beta1: go.map(go.string()) }),
};
interface Node extends StructValue<typeof nodeFields> {}
const Node: Struct<Node> = go.struct('Node', nodeFields);
const v1 = Node.definitionIn('v1');
const treeStruct = go.struct('Tree', { metadata: go.objectMeta(), spec: Node.validated() });

function errorOf(value: unknown, version = 'v1'): string {
  try {
    decodeStruct(Node.definitionIn(version), value);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('a struct', () => {
  it('decodes as Go does and prints fields in their order', () => {
    const value = { enabled: false, timeout: '90m', NAME: 'a', volume: { sizeLimit: '1024Mi' }, sizes: [], labels: {} };
    expect(JSON.stringify(decodeStruct(v1, value))).toBe(
      '{"name":"a","volume":{"sizeLimit":"1Gi"},"timeout":"1h30m0s","enabled":false,"note":""}',
    );
  });

  it('contains itself', () => {
    expect(decodeStruct(v1, { children: [{ children: [null] }] })).toEqual({
      name: '',
      note: '',
      children: [{ name: '', note: '', children: [{ name: '', note: '' }] }],
    });
    expect(errorOf({ children: [{ children: [{ name: 1 }] }] })).toBe(
      'json: cannot unmarshal number into Go struct field Node.children.children.name of type string',
    );
  });

  it.each([
    [{ kind: 1 }, 'json: cannot unmarshal number into Go struct field Node.kind of type v1.NodeKind'],
    [{ sizes: {} }, 'json: cannot unmarshal object into Go struct field Node.sizes of type v1.Sizes'],
    [{ sizes: [1.5] }, 'json: cannot unmarshal number 1.5 into Go struct field Node.sizes of type int32'],
    [{ labels: [] }, 'json: cannot unmarshal array into Go struct field Node.labels of type map[v1.Label]string'],
    [{ resolver: true }, 'json: cannot unmarshal bool into Go struct field Node.Reference.resolver of type string'],
    [{ args: 'a' }, 'json: cannot unmarshal string into Go struct field Node.args of type v1.Args'],
    [{ timeout: '1x' }, 'time: unknown unit "x" in duration "1x"'],
    [{ timeout: 1 }, 'json: cannot unmarshal number into Go struct field Node.timeout of type string'],
    [{ zz: 1, a: 1 }, 'json: unknown field "a"'],
    [{ a: 1, timeout: 'x' }, 'time: invalid duration "x"'],
    [[], 'json: cannot unmarshal array into Go value of type v1.Node'],
  ])('reports errors in the words of Go: %j', (value, message) => {
    expect(errorOf(value)).toBe(message);
  });

  it('has the fields, types and names of its version', () => {
    expect(errorOf({ resources: 'a' })).toBe('json: unknown field "resources"');
    expect(errorOf({ resources: 'a' }, 'v1beta1')).toBe('');
    expect(errorOf({ count: 1 }, 'v1beta1')).toBe('json: unknown field "count"');
    expect(errorOf({ args: { a: 'b' } }, 'v1beta1')).toBe('');
    expect(errorOf({ kind: 1 }, 'v1beta1')).toMatch(/of type v1beta1.NodeKind$/);
    const pinned = go.struct('Forest', { tree: Node.pinned('v1') }).definitionIn('v1beta1');
    expect(() => decodeStruct(pinned, { tree: { resources: 'a' } })).toThrow('json: unknown field "resources"');
  });

  it('remembers an empty map that it does not print', () => {
    expect(hadEmptyMap(decodeStruct(v1, { labels: {} }))).toBe(true);
    expect(hadEmptyMap(decodeStruct(v1, {}))).toBe(false);
  });

  it('converts scalars to texts when they come from YAML', () => {
    expect(decodeStruct(v1, { name: 5, note: true }, { convertsToText: true })).toEqual({ name: '5', note: 'true' });
  });

  it('reports all unknown fields with their paths as Kubernetes does', () => {
    const tree = treeStruct.definitionIn('v1');
    const spec = { name: 'a', x: 1, children: [{ name: 'b', Name: 'c' }] };
    expect(unknownFields(tree, { apiVersion: 'g/v1', kind: 'Tree', metadata: { nmae: 'a' }, spec })).toEqual([
      'unknown field "metadata.nmae"',
      'unknown field "spec.x"',
      'unknown field "spec.children[0].Name"',
    ]);
  });
});

describe('the schema of a struct', () => {
  const kind = (version: string) =>
    defineStructKind({
      group: 'example.com',
      version,
      struct: treeStruct,
      schemas: new CrdSchemas((struct, field) => (field === 'name' ? `The name of a ${struct}.` : undefined)),
      descriptions: { spec: 'Desired state.' },
    });
  const specOf = (version: string) => kind(version).schema?.properties?.['spec'];

  it('follows from the fields of the version', () => {
    const { properties = {}, ...rest } = specOf('v1') ?? {};
    expect(rest).toEqual({ type: 'object', required: ['name'], description: 'Desired state.' });
    expect(Object.keys(properties)).toEqual(Object.keys(nodeFields).filter((name) => name !== 'resources'));
    expect(properties).toMatchObject({
      name: { type: 'string', description: 'The name of a Node.' },
      sizes: { type: 'array', items: { type: 'integer', format: 'int32' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      timeout: { type: 'string' },
      count: { type: 'integer' },
      children: { 'x-kubernetes-preserve-unknown-fields': true },
      ports: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['containerPort', 'protocol'] },
    });
    expect(specOf('v1beta1')?.properties).toHaveProperty('resources');
  });

  it('is that of both versions in one CustomResourceDefinition', () => {
    const versions = customResourceDefinition([kind('v1'), kind('v1beta1')]).spec.versions;
    expect(versions.map(({ name }) => name)).toEqual(['v1', 'v1beta1']);
  });

  it('can leave a field out that a definition does not know yet', () => {
    const schema = specOf('v1') ?? {};
    const ports = schemaWithout(schema, ['ports', 'hostIP']).properties?.['ports']?.items;
    expect(ports).not.toHaveProperty('properties.hostIP');
    expect(ports).toHaveProperty('properties.hostPort');
    expect(schemaWithout(schema, ['none', 'x'])).toEqual(schema);
  });
});

it('leaves out the times of a container that was lost, which schemas of custom resources do not accept as null', () => {
  const lost = { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null };
  const state = go.struct('StepState', { terminated: go.pointer(go.builtin('core/v1.ContainerStateTerminated')) });
  expect(decodeStruct(state.definitionIn('v1'), { terminated: lost })).toEqual({
    terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' },
  });
});

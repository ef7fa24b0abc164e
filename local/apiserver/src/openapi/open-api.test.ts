import { existsSync, readFileSync } from 'node:fs';
import type { JsonSchema } from '@tektite/schema';
import { builtinKinds } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { ProtobufReader } from '../codec/protobuf-reader.ts';
import { swaggerDocument } from './document-v2.ts';
import { type OpenApiDocument, openApiDocument } from './document-v3.ts';
import { referencedNames } from './open-api-schema.ts';
import type { DocumentedResource } from './resource-paths.ts';
import { swaggerProtobuf } from './swagger-protobuf.ts';

const golden = new URL('../../../../../shared/golden/apiserver/discovery/crd.json', import.meta.url);

function builtin(group: string, version: string): DocumentedResource[] {
  return builtinKinds
    .filter((kind) => kind.group === group && kind.version === version)
    .map((kind) => ({ ...kind, listKind: kind.listKind ?? '', schema: {}, custom: false }));
}

function custom(schema: JsonSchema, namespaced = true): DocumentedResource {
  return {
    group: 'disc.example.com',
    version: 'v1',
    kind: 'Gadget',
    listKind: 'GadgetList',
    plural: 'gadgets',
    namespaced,
    custom: true,
    schema,
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: [
      { name: 'status', kind: 'Gadget', verbs: ['get', 'patch', 'update'] },
      { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
    ],
  };
}

/** References that no component answers. */
function dangling({ paths, components }: OpenApiDocument): string[] {
  return [...referencedNames([paths, components])].filter((name) => !Object.hasOwn(components.schemas, name));
}

describe('the document of a custom resource', () => {
  // The recording lies outside the repository; without it there is nothing to compare with.
  test.skipIf(!existsSync(golden))('is that of a real API server', async () => {
    const { steps } = JSON.parse(readFileSync(golden, 'utf8')) as {
      steps: {
        path?: string;
        method?: string;
        body?: { spec: { versions: { schema: { openAPIV3Schema: JsonSchema } }[] } };
        response: { body: unknown };
      }[];
    };
    const crd = steps.find(({ method }) => method === 'POST')!.body!;
    const recorded = steps.find(({ path }) => path?.startsWith('/openapi/v3/apis'))!.response.body;
    const document = await openApiDocument([custom(crd.spec.versions[0]!.schema.openAPIV3Schema)]);
    expect(JSON.parse(JSON.stringify(document))).toEqual(recorded);
  });

  test('has no namespaces when it is of the cluster', async () => {
    const { paths } = await openApiDocument([custom({ type: 'object' }, false)]);
    expect(Object.keys(paths)).toEqual([
      '/apis/disc.example.com/v1/gadgets',
      '/apis/disc.example.com/v1/gadgets/{name}',
      '/apis/disc.example.com/v1/gadgets/{name}/scale',
      '/apis/disc.example.com/v1/gadgets/{name}/status',
    ]);
    expect(paths['/apis/disc.example.com/v1/gadgets']?.get?.operationId).toBe('listDiscExampleComV1Gadget');
  });

  test('shows what embedded resources have without saying so', async () => {
    const template = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object' } },
    };
    const { components } = await openApiDocument([custom({ type: 'object', properties: { template } })]);
    const shown = components.schemas['com.example.disc.v1.Gadget']?.properties?.template?.properties;
    expect(Object.keys(shown ?? {})).toEqual(['spec', 'apiVersion', 'kind', 'metadata']);
  });
});

describe('the documents of built-in groups', () => {
  test('refer to nothing they do not hold', async () => {
    const versions = new Set(builtinKinds.map(({ group, version }) => `${group}/${version}`));
    for (const groupVersion of versions) {
      const [group, version] = groupVersion.split('/') as [string, string];
      const document = await openApiDocument(builtin(group, version));
      expect(dangling(document), groupVersion).toEqual([]);
      expect(Object.keys(document.paths).length, groupVersion).toBeGreaterThan(0);
    }
  });

  test('show kubectl that fields are validated, and how lists merge', async () => {
    const { paths, components } = await openApiDocument(builtin('apps', 'v1'));
    const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    });
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(patch?.requestBody?.content ?? {})).toContain('application/strategic-merge-patch+json');
    expect(components.schemas['io.k8s.api.core.v1.PodSpec']?.properties?.containers).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(components.schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      description: expect.stringContaining('Deployment enables'),
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    });
  });

  test('list the values of enums, of the package itself and of core', async () => {
    const { components } = await openApiDocument([...builtin('', 'v1'), ...builtin('networking.k8s.io', 'v1')]);
    const property = (type: string, name: string) => components.schemas[`io.k8s.api.${type}`]?.properties?.[name];
    expect(property('core.v1.Container', 'imagePullPolicy')?.enum).toEqual(['Always', 'IfNotPresent', 'Never']);
    expect(property('core.v1.PersistentVolumeClaimSpec', 'accessModes')?.items).toMatchObject({
      type: 'string',
      enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
    });
    expect(property('networking.v1.NetworkPolicyPort', 'protocol')?.enum).toEqual(['SCTP', 'TCP', 'UDP']);
    expect(property('core.v1.Lifecycle', 'stopSignal')?.enum).toHaveLength(65);
    expect(property('core.v1.PodSpec', 'hostname')).not.toHaveProperty('enum');
  });

  test('join into one Swagger document', async () => {
    const swagger = swaggerDocument([
      await openApiDocument(builtin('', 'v1')),
      await openApiDocument(builtin('apps', 'v1')),
    ]);
    const text = JSON.stringify(swagger);
    expect(text).not.toContain('#/components/');
    expect(swagger.definitions['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
      properties: { template: { $ref: '#/definitions/io.k8s.api.core.v1.PodTemplateSpec' } },
    });
    expect(swagger.paths['/api/v1/namespaces/{namespace}/pods/{name}']).toMatchObject({
      put: {
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: 'body', in: 'body', required: true }),
        ]) as unknown,
      },
    });
  });
});

describe('version 2 of the document', () => {
  const gadget = 'com.example.disc.v1.Gadget';
  const definitionOf = async (schema: JsonSchema) =>
    swaggerDocument([await openApiDocument([custom(schema)])]).definitions[gadget];

  test('takes properties with the names of keywords for properties', async () => {
    const names = ['oneOf', 'allOf', 'type', 'items', 'properties', '$ref', 'nullable', 'not', 'default', 'required'];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const definition = await definitionOf({ type: 'object', properties: { spec: { type: 'object', properties } } });
    expect(definition?.properties?.['spec']).toEqual({ type: 'object', properties });
  });

  test('says only the kind of a custom resource that keeps unknown fields', async () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } };
    expect(await definitionOf(schema)).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'disc.example.com', version: 'v1', kind: 'Gadget' }],
    });
  });

  test('has neither alternatives nor null', async () => {
    const definition = await definitionOf({
      type: 'object',
      required: ['maybe', 'sure'],
      properties: {
        maybe: { type: 'object', nullable: true, properties: { a: { type: 'string' } } },
        sure: { type: 'array', items: { type: 'string', anyOf: [{ minLength: 1 }, { pattern: '^a' }] }, default: [] },
        open: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
      },
    });
    expect(definition).toMatchObject({ required: ['sure'] });
    expect(definition?.properties).toMatchObject({
      maybe: {},
      sure: { type: 'array', items: { type: 'string' }, default: [] },
      open: { 'x-kubernetes-preserve-unknown-fields': true },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    });
    expect(Object.keys(definition?.properties?.['maybe'] ?? {})).toEqual([]);
    expect(Object.keys(definition?.properties?.['open'] ?? {})).toEqual(['x-kubernetes-preserve-unknown-fields']);
  });

  test('has in protobuf what it has in JSON', async () => {
    const swagger = swaggerDocument([
      await openApiDocument(builtin('apps', 'v1')),
      await openApiDocument([custom({ type: 'object', properties: { type: { type: 'string', maxLength: 300 } } })]),
    ]);
    const document = fields(swaggerProtobuf(swagger));
    expect(texts(document, 1)).toEqual(['2.0']);
    const paths = messages(messages(document, 8)[0]!, 2);
    expect(paths.map((entry) => texts(entry, 1)[0])).toEqual(Object.keys(swagger.paths));
    const definitions = messages(messages(document, 9)[0]!, 1);
    expect(definitions.map((entry) => texts(entry, 1)[0])).toEqual(Object.keys(swagger.definitions));
    const schema = messages(definitions.find((entry) => texts(entry, 1)[0] === gadget)!, 2)[0]!;
    const [kinds] = messages(schema, 31).filter((each) => texts(each, 1)[0] === 'x-kubernetes-group-version-kind');
    expect(JSON.parse(texts(messages(kinds!, 2)[0]!, 2)[0]!)).toEqual([
      { group: 'disc.example.com', version: 'v1', kind: 'Gadget' },
    ]);
    const property = messages(messages(schema, 25)[0]!, 1).find((entry) => texts(entry, 1)[0] === 'type');
    const { 11: maxLength } = Object.fromEntries(messages(property!, 2)[0]!);
    expect(maxLength).toEqual([300]);
  });
});

type Fields = Map<number, (Uint8Array | number)[]>;

function fields(bytes: Uint8Array): Fields {
  const reader = new ProtobufReader(bytes);
  const result: Fields = new Map();
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    const value = wire === 2 ? reader.chunk() : wire === 0 ? Number(reader.integer()) : reader.double();
    result.set(number, [...(result.get(number) ?? []), value]);
  }
  return result;
}

const messages = (of: Fields, number: number): Fields[] =>
  (of.get(number) ?? []).map((value) => fields(value as Uint8Array));
const texts = (of: Fields, number: number): string[] =>
  (of.get(number) ?? []).map((value) => Buffer.from(value as Uint8Array).toString());

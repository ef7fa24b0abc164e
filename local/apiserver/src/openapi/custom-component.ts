import type { GroupVersionKind } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import type { Descriptions } from '@tektite/schema/kubernetes';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';
import { componentName, type DocumentedResource } from './resource-paths.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const listMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

/** Where the texts on `apiVersion`, `kind` and `metadata` are taken from: all kinds have the same. */
export interface MetadataTexts {
  readonly object: Descriptions;
  readonly list: Descriptions;
}

/** A custom resource and its list as components. */
export function customComponents(resource: DocumentedResource, texts: MetadataTexts): Record<string, OpenApiSchema> {
  const { group, version, kind, listKind, plural } = resource;
  const name = componentName(resource, true);
  const own = withEmbedded(resource.schema, texts) as OpenApiSchema;
  return {
    [name]: {
      ...own,
      type: 'object',
      properties: { ...own.properties, ...metadataProperties(texts.object, objectMeta) },
      'x-kubernetes-group-version-kind': [{ group, kind, version } satisfies GroupVersionKind],
    },
    [componentName({ group, version, kind: listKind }, true)]: {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...metadataProperties(texts.list, listMeta),
        items: {
          description: `List of ${plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
          type: 'array',
          items: refTo(name),
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version } satisfies GroupVersionKind],
    },
  };
}

function metadataProperties(texts: Descriptions, meta: string): Record<string, OpenApiSchema> {
  return {
    apiVersion: { description: texts.apiVersion ?? '', type: 'string' },
    kind: { description: texts.kind ?? '', type: 'string' },
    metadata: { description: texts.metadata ?? '', allOf: [refTo(meta)] },
  };
}

/** A schema with the fields that embedded resources have though their schema need not say so. */
function withEmbedded(schema: JsonSchema, texts: MetadataTexts): JsonSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  const result: { -readonly [K in keyof JsonSchema]: JsonSchema[K] } = rest;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (properties || embedded) {
    const own: Record<string, JsonSchema> = {};
    for (const [name, property] of Object.entries(properties ?? {})) own[name] = withEmbedded(property, texts);
    result.properties = embedded
      ? { ...own, ...(metadataProperties(texts.object, objectMeta) as Record<string, JsonSchema>) }
      : own;
  }
  if (items) result.items = withEmbedded(items, texts);
  if (additionalProperties !== undefined) {
    result.additionalProperties =
      typeof additionalProperties === 'boolean' ? additionalProperties : withEmbedded(additionalProperties, texts);
  }
  return result;
}

import { type Descriptions, loadDescriptions } from '@tektite/schema/kubernetes';
import { builtinComponent } from './builtin-component.ts';
import { customComponents } from './custom-component.ts';
import { type OpenApiSchema, referencedNames } from './open-api-schema.ts';
import { type DocumentedResource, type PathItem, resourcePaths } from './resource-paths.ts';

/** An OpenAPI 3.0 document of one group and version. */
export interface OpenApiDocument {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
}

/**
 * The document at `/openapi/v3/apis/GROUP/VERSION`. kubectl reads it to learn whether the server validates fields, how to merge
 * lists, and for `kubectl explain`. Pure but for the descriptions, which are loaded once; callers cache what they get.
 *
 * @param resources all resources of the group and version: built-in kinds, or those of CRDs
 */
export async function openApiDocument(resources: readonly DocumentedResource[]): Promise<OpenApiDocument> {
  const descriptions = await loadDescriptions();
  const paths: Record<string, PathItem> = {};
  const schemas: Record<string, OpenApiSchema> = {};
  for (const resource of resources) {
    Object.assign(paths, resourcePaths(resource, descriptions.get('parameters') ?? {}));
    if (resource.custom) Object.assign(schemas, customComponents(resource, metadataTexts(descriptions)));
  }
  addReferenced(schemas, paths, descriptions);
  const custom = resources.some((resource) => resource.custom);
  return {
    openapi: '3.0.0',
    info: custom
      ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
      : { title: 'Kubernetes', version: 'unversioned' },
    paths: sorted(paths),
    components: { schemas: sorted(schemas) },
  };
}

function metadataTexts(descriptions: ReadonlyMap<string, Descriptions>) {
  return { object: descriptions.get('core/v1.ConfigMap') ?? {}, list: descriptions.get('core/v1.PodList') ?? {} };
}

/** Adds the built-in types that paths and schemas refer to, and those that these refer to. */
function addReferenced(
  schemas: Record<string, OpenApiSchema>,
  paths: Readonly<Record<string, PathItem>>,
  descriptions: ReadonlyMap<string, Descriptions>,
): void {
  const pending = [...referencedNames([paths, schemas])];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (Object.hasOwn(schemas, name)) continue;
    const schema = builtinComponent(name, descriptions);
    if (!schema) continue;
    schemas[name] = schema;
    pending.push(...referencedNames(schema));
  }
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

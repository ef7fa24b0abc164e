import { equalJson, formatApiVersion, invalid, invalidObjectError, type KubeObject } from '@tektite/meta';
import { DecodeError, duplicateFields, type JsonDocument } from '@tektite/go';
import { applyDefaults, coerceEmbedded, type JsonSchema, prune, pruneNulls, resourceValidator } from '@tektite/schema';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@tektite/schema/kubernetes';
import { readBody } from '../codec/read-body.ts';
import { readVersionKind } from '../codec/version-kind.ts';
import type { KindStrategy } from '../registry/kind-strategy.ts';
import type { Decoded, DecodeOptions, Draft, Resource, Subresource } from '../registry/resource.ts';
import { customPrinter } from '../table/custom-printer.ts';
import { checkScale, checkScaleStatus } from './check-scale.ts';
import type { Converter } from './converter.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { metadataRules, metadataSchema } from '../registry/kinds/apiextensions/metadata-rules.ts';
import { readJsonPath } from '../json-path/json-path.ts';

/** The order in which upstream lists the verbs of custom resources. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const viewVerbs = ['get', 'patch', 'update'];

/** Made from one version of a CRD; `converter` brings objects of other versions into it. */
export function customResource(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  converter: Converter,
  onRetired?: Resource['onRetired'],
): Resource {
  const { group, scope } = crd.spec;
  const names = crd.status?.acceptedNames?.plural ? crd.status.acceptedNames : crd.spec.names;
  const apiVersion = formatApiVersion({ group, version: version.name });
  const stored = crd.spec.versions?.find(({ storage }) => storage)?.name ?? version.name;
  const own = ownSchema(version);
  const schema = withMetadata(own);
  const form = new CustomForm(own, apiVersion, names.kind);
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version, names.kind),
    storagePrefix: `/registry/${group}/${names.plural}/`,
    storageVersion: formatApiVersion({ group, version: stored }),
    schema,
    custom: true,
    strategy: strategyOf(version, own),
    hasStatus: version.subresources?.status !== undefined,
    ...(version.subresources?.scale ? { scale: version.subresources.scale } : {}),
    ...(version.deprecated
      ? { deprecationWarning: version.deprecationWarning ?? defaultDeprecation(crd, version, names.kind) }
      : {}),
    ...(crd.metadata.deletionTimestamp === undefined ? {} : { terminating: true }),
    ...(onRetired ? { onRetired } : {}),
    readBody: (body, contentType) =>
      readBody(body, contentType, { group, version: version.name, kind: names.kind, custom: true }),
    decode: (document, options) => form.decode(document, options),
    normalize: (object) => object,
    emptyObject: { apiVersion, kind: names.kind, metadata: {} },
    async inVersion(object, target) {
      const other = crd.spec.versions?.find(({ name }) => formatApiVersion({ group, version: name }) === target);
      if (!other) return undefined;
      return { object: await converter.convert(object, other.name), schema: withMetadata(ownSchema(other)) };
    },
    ...(stored === version.name ? {} : { toStorage: (object: Draft) => converter.toStorage(object) }),
    fromStorage: (objects) => converter.fromStorage(objects, version.name),
  };
}

/** The schema of a version; one without a schema accepts everything. */
function ownSchema({ schema }: CustomResourceDefinitionVersion): JsonSchema {
  return (schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as JsonSchema;
}

function defaultDeprecation(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  kind: string,
): string {
  const { group, versions } = crd.spec;
  const better = versions?.find((other) => other.served && !other.deprecated && other.name !== version.name);
  const advice = better ? `; use ${group}/${better.name} ${kind}` : '';
  return `${group}/${version.name} ${kind} is deprecated${advice}`;
}

function subresourcesOf({ subresources }: CustomResourceDefinitionVersion, kind: string): Subresource[] {
  return [
    ...(subresources?.status ? [{ name: 'status', kind, verbs: viewVerbs }] : []),
    ...(subresources?.scale
      ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: viewVerbs }]
      : []),
  ];
}

/** For field managers: metadata has its own schema, whatever the CRD says of it. */
function withMetadata(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metadataSchema(),
    },
  };
}

/** Reads objects of one version: names, metadata, unknown fields, nulls, defaults. */
class CustomForm {
  private readonly schema: JsonSchema;
  private readonly apiVersion: string;
  private readonly kind: string;

  constructor(schema: JsonSchema, apiVersion: string, kind: string) {
    this.schema = schema;
    this.apiVersion = apiVersion;
    this.kind = kind;
  }

  private checkKind(object: Record<string, unknown>): void {
    if (object.kind === undefined || object.kind === this.kind) return;
    const { kind } = readVersionKind(object);
    const group = this.apiVersion.slice(0, this.apiVersion.indexOf('/'));
    throw invalidObjectError(group, kind, nameOf(object), [invalid('kind', kind, `must be ${this.kind}`)]);
  }

  decode(document: JsonDocument, { keepNulls = false }: DecodeOptions = {}): Decoded {
    const { value } = document;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new DecodeError(`expected an object of kind ${this.kind}`);
    const strictErrors = [...duplicateFields(document)];
    const object = value as Record<string, unknown>;
    this.checkKind(object);
    const metadata = metadataRules.decode(object.metadata ?? {});
    if (typeof metadata === 'string') throw new DecodeError(metadata);
    const unknown: string[] = metadata.unknown.map((name) => `metadata.${name}`);
    const removed: string[] = [];
    prune(object, this.schema, { isResourceRoot: true, removed });
    const error = coerceEmbedded(object, this.schema, { rules: metadataRules, unknown });
    if (error) throw new DecodeError(`${error.field}: ${error.message}`);
    if (!keepNulls) pruneNulls(object, this.schema);
    applyDefaults(object, this.schema);
    for (const path of [...unknown, ...removed]) strictErrors.push(`unknown field "${path}"`);
    const draft = {
      ...object,
      apiVersion: this.apiVersion,
      kind: this.kind,
      metadata: metadata.metadata,
    } as Draft;
    return { object: draft, strictErrors };
  }
}

/** The status of an object that calls itself something else is that of the something else. */
function nameOf(object: Record<string, unknown>): string {
  const { name } = (object.metadata ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : '';
}

function strategyOf(version: CustomResourceDefinitionVersion, schema: JsonSchema): KindStrategy {
  const validator = resourceValidator(schema, metadataRules);
  const hasStatus = version.subresources?.status !== undefined;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
  const paths = version.subresources?.scale;
  const scale = (object: KubeObject) => (paths ? checkScale(paths, object) : []);
  const scaleStatus = (object: KubeObject) => (paths ? checkScaleStatus(paths, object) : []);
  return {
    // Upstream only warns of finalizers without a path: many operators have such.
    metadataRules: { finalizers: 'any' },
    warnings: finalizerWarnings,
    // Nulls that a webhook or an applied configuration put there count as given when fields are required, but are
    // not kept.
    default: (object) => pruneNulls(object, schema),
    prepareForCreate(object) {
      if (hasStatus) delete (object as Draft).status;
    },
    prepareForUpdate(object, old) {
      if (!hasStatus) return;
      const { status } = old as Draft;
      if (status === undefined) delete (object as Draft).status;
      else (object as Draft).status = status;
    },
    validateCreate: (object) => [...validator.validateCreate(object), ...scale(object)],
    validateUpdate: (object, old) => [...validator.validateUpdate(object, old), ...scale(object)],
    subresources: {
      status: {
        validateUpdate: (object, old) => [...validator.validateStatusUpdate(object, old), ...scaleStatus(object)],
      },
    },
    generationChanged: (object, old) => isSpecChanged(object as Draft, old as Draft, hasStatus),
    allowUnconditionalUpdate: false,
    selectableFields: selectable,
    fields: (object) =>
      Object.fromEntries(selectable.map((path) => [path, formatSelectable(readJsonPath(object, `.${path}`))])),
    table: customPrinter(version.additionalPrinterColumns),
  };
}

/** Everything but the metadata, and the status where that is written apart, is the desired state. */
function isSpecChanged(object: Draft, old: Draft, hasStatus: boolean): boolean {
  for (const source of [object, old])
    for (const field in source) {
      if (field === 'metadata' || field === 'apiVersion' || field === 'kind' || (hasStatus && field === 'status'))
        continue;
      if (!equalJson(object[field], old[field])) return true;
    }
  return false;
}

function formatSelectable(value: unknown): string {
  return value === undefined || value === null ? '' : String(value as string | number | boolean);
}

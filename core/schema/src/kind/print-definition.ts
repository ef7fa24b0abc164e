import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../definition/custom-resource-definition.ts';
import type { Kind } from './kind.ts';

export interface DefinitionOptions {
  /** The storage version; default the first one. */
  readonly storage?: string;
  readonly conversion?: CustomResourceConversion;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The CustomResourceDefinition of a kind: one value for each of its versions, the newest first.
 *
 * @example
 * customResourceDefinition([MemcachedV1, MemcachedV1beta1], { storage: 'v1' })
 */
export function customResourceDefinition(
  versions: readonly [Kind, ...Kind[]],
  options: DefinitionOptions = {},
): CustomResourceDefinition {
  const [first] = versions;
  for (const each of versions)
    if (
      each.group !== first.group ||
      each.kind !== first.kind ||
      each.plural !== first.plural ||
      each.scope !== first.scope
    )
      throw new Error(
        `${each.kind} ${each.version} is not a version of ${first.kind} (${first.plural}.${first.group})`,
      );
  const storage = options.storage ?? first.version;
  if (!versions.some(({ version }) => version === storage))
    throw new Error(`${first.kind} has no version ${storage} to be stored in`);
  const { labels = first.definitionLabels, annotations, conversion } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${first.plural}.${first.group}`,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    spec: {
      group: first.group,
      names: {
        plural: first.plural,
        singular: first.singular,
        kind: first.kind,
        listKind: first.listKind,
        ...(first.shortNames.length > 0 ? { shortNames: first.shortNames } : {}),
        ...(first.categories.length > 0 ? { categories: first.categories } : {}),
      },
      scope: first.scope,
      versions: versions.map((kind) => printVersion(kind, storage)),
      ...(conversion ? { conversion } : {}),
    },
  };
}

function printVersion(kind: Kind, storage: string): CustomResourceDefinitionVersion {
  const { columns, subresources, selectableFields, deprecated } = kind;
  return {
    name: kind.version,
    served: true,
    storage: kind.version === storage,
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: {
      openAPIV3Schema: kind.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns } : {}),
    ...(selectableFields.length > 0 ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
  };
}

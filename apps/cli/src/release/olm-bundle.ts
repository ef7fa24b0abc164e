import type { DynamicObject } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';

/** The description of an operator in a catalog. */
export interface OlmDescription {
  readonly displayName: string;
  readonly description: string;
  /** Of the catalog's, by commas. */
  readonly categories: string;
  readonly keywords: readonly string[];
  /** Objects that show how it is used. */
  readonly examples: readonly DynamicObject[];
}

export interface OlmBundleOptions extends OlmDescription {
  /** The objects that run the operator, as `tektite deploy` prints them. */
  readonly objects: readonly DynamicObject[];
  readonly package: string;
  /** A semantic version, without a `v`. */
  readonly version: string;
  readonly channel: string;
  readonly provider: string;
  readonly image: string;
  /** The version before this one, whose users are to get it. */
  readonly replaces?: string;
  readonly createdAt: string;
}

const rbac = ['ServiceAccount', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];
/** Created by the Operator Lifecycle Manager, or by the operator when it runs. */
const left = ['Namespace', 'Deployment', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', ...rbac];

/**
 * A bundle for the Operator Lifecycle Manager, format `registry+v1`: the ClusterServiceVersion, definitions and further objects, the
 * annotations, and the file that makes an image of it. By their paths.
 */
export function olmBundle(options: OlmBundleOptions): ReadonlyMap<string, string> {
  const { objects } = options;
  const files = new Map<string, string>();
  const put = (path: string, object: object): void => void files.set(path, formatYaml(object));
  put(`manifests/${options.package}.clusterserviceversion.yaml`, serviceVersion(options));
  for (const object of objects) {
    if (left.includes(object.kind)) continue;
    const { name, namespace: _, ...metadata } = object.metadata;
    const file = object.kind === 'CustomResourceDefinition' ? `${name}.crd` : `${name}.${object.kind.toLowerCase()}`;
    put(`manifests/${file}.yaml`, { ...object, metadata: { name, ...metadata } });
  }
  const annotations = annotationsOf(options);
  put('metadata/annotations.yaml', { annotations });
  files.set('bundle.Dockerfile', dockerfile(annotations));
  return files;
}

function annotationsOf({ package: name, channel }: OlmBundleOptions): Readonly<Record<string, string>> {
  const prefix = 'operators.operatorframework.io.bundle';
  return {
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: 'manifests/',
    [`${prefix}.metadata.v1`]: 'metadata/',
    [`${prefix}.package.v1`]: name,
    [`${prefix}.channels.v1`]: channel,
    [`${prefix}.channel.default.v1`]: channel,
  };
}

function dockerfile(annotations: Readonly<Record<string, string>>): string {
  const labels = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}`);
  return `FROM scratch\n${labels.join('\n')}\nCOPY manifests /manifests/\nCOPY metadata /metadata/\n`;
}

interface Definition {
  readonly names: { readonly kind: string };
  readonly versions: readonly {
    readonly name: string;
    readonly schema?: { readonly openAPIV3Schema?: { readonly description?: string } };
  }[];
}

function serviceVersion(options: OlmBundleOptions): object {
  const { objects, version, displayName, description, provider, image, replaces, createdAt, examples } = options;
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const rulesOf = (kind: string) =>
    of(kind).map((role) => ({ serviceAccountName: role.metadata.name, rules: role.rules }));
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${options.package}.v${version}`,
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify(examples, undefined, 2),
        capabilities: 'Seamless Upgrades',
        categories: options.categories,
        containerImage: image,
        createdAt,
        description: description.split('\n')[0],
      },
    },
    spec: {
      displayName,
      description,
      version,
      ...(replaces ? { replaces: `${options.package}.v${replaces.replace(/^v/, '')}` } : {}),
      maturity: 'alpha',
      minKubeVersion: '1.26.0',
      provider: { name: provider },
      keywords: options.keywords,
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'AllNamespaces',
      })),
      customresourcedefinitions: { owned: of('CustomResourceDefinition').flatMap(ownedKinds) },
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: rulesOf('ClusterRole'),
          permissions: rulesOf('Role'),
          deployments: of('Deployment').map(({ metadata, spec }) => ({
            name: metadata.name,
            label: metadata.labels,
            spec,
          })),
        },
      },
    },
  };
}

function ownedKinds({ metadata, spec }: DynamicObject): readonly object[] {
  const { names, versions } = spec as Definition;
  return versions.map(({ name: version, schema }) => ({
    name: metadata.name,
    version,
    kind: names.kind,
    displayName: names.kind,
    description: schema?.openAPIV3Schema?.description ?? names.kind,
  }));
}

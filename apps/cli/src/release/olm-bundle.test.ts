import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { type DynamicObject, validateDns1123Subdomain } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface ServiceVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly displayName: string;
    readonly version: string;
    readonly replaces?: string;
    readonly minKubeVersion: string;
    readonly provider: { readonly name: string };
    readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
    readonly customresourcedefinitions: {
      readonly owned: readonly { readonly name: string; readonly kind: string; readonly version: string }[];
    };
    readonly install: {
      readonly strategy: string;
      readonly spec: {
        readonly clusterPermissions: readonly {
          readonly serviceAccountName: string;
          readonly rules: readonly Rule[];
        }[];
        readonly permissions: readonly { readonly serviceAccountName: string; readonly rules: readonly Rule[] }[];
        readonly deployments: readonly {
          readonly name: string;
          readonly spec: {
            readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
            readonly template: {
              readonly metadata: { readonly labels: Readonly<Record<string, string>> };
              readonly spec: {
                readonly serviceAccountName: string;
                readonly containers: readonly { readonly image: string }[];
              };
            };
          };
        }[];
      };
    };
  };
}

/** The rules of the Operator Lifecycle Manager for a bundle of the format registry+v1. */
describe('the OLM bundle', () => {
  const scratch = new Scratch();
  const bundle = join(scratch.path, 'bundle');
  const read = (path: string) => parseFirstYaml(readFileSync(join(bundle, path), 'utf8'))?.value;
  let csv: ServiceVersion;
  beforeAll(() => {
    const payload = join(repository, 'examples/connectors/kodata');
    const { code, err } = scratch.tektite([
      'connectors',
      'olm',
      '--payload',
      payload,
      '--image',
      'r.example.com/shop:1',
      '--release',
      'v1.2.3',
      '--replaces',
      'v1.2.2',
    ]);
    expect(`${code} ${err}`).toBe('0 ');
    csv = read('manifests/connectors-operator.clusterserviceversion.yaml') as unknown as ServiceVersion;
  });
  afterAll(() => scratch[Symbol.dispose]());

  it('has a ClusterServiceVersion with all that is required of one', () => {
    expect(`${csv.apiVersion} ${csv.kind}`).toBe('operators.coreos.com/v1alpha1 ClusterServiceVersion');
    expect(csv.metadata.name).toBe('connectors-operator.v1.2.3');
    expect(validateDns1123Subdomain(csv.metadata.name)).toEqual([]);
    const { spec } = csv;
    expect([spec.version, spec.replaces]).toEqual(['1.2.3', 'connectors-operator.v1.2.2']);
    expect(spec.minKubeVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(spec.displayName && spec.provider.name).toBeTruthy();
    expect(spec.installModes.map(({ type }) => type)).toEqual([
      'OwnNamespace',
      'SingleNamespace',
      'MultiNamespace',
      'AllNamespaces',
    ]);
    expect(spec.installModes.some(({ supported }) => supported)).toBe(true);
    expect(spec.install.strategy).toBe('deployment');
  });

  it('owns just the definitions that it brings', () => {
    const files = readdirSync(join(bundle, 'manifests'));
    const brought = files.flatMap((file) => {
      const { kind, metadata, spec } = read(`manifests/${file}`) as {
        kind: string;
        metadata: { name: string; namespace?: string };
        spec: { names: { kind: string }; versions: { name: string }[] };
      };
      expect(`${file} ${kind === 'ClusterServiceVersion' ? undefined : metadata.namespace}`).toBe(`${file} undefined`);
      if (kind !== 'CustomResourceDefinition') return [];
      return spec.versions.map(({ name: version }) => `${metadata.name} ${spec.names.kind} ${version}`);
    });
    const owned = csv.spec.customresourcedefinitions.owned.map(
      ({ name, kind, version }) => `${name} ${kind} ${version}`,
    );
    expect(owned.sort()).toEqual(brought.sort());
    expect(owned).toHaveLength(2);
  });

  it('shows examples of kinds that it owns', () => {
    const examples = JSON.parse(csv.metadata.annotations['alm-examples'] ?? '') as {
      apiVersion: string;
      kind: string;
    }[];
    expect(examples.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'operator.connectors.alauda.io/v1alpha1 Connector',
    ]);
  });

  it('runs the image, as an account that may do with the kinds of the payload what it has to, and no more', () => {
    const { deployments, clusterPermissions, permissions } = csv.spec.install.spec;
    const [deployment] = deployments;
    expect(deployment?.spec.template.spec.containers.map(({ image }) => image)).toEqual(['r.example.com/shop:1']);
    expect(deployment?.spec.template.metadata.labels).toMatchObject(deployment?.spec.selector.matchLabels ?? {});
    const accounts = [...clusterPermissions, ...permissions].map(({ serviceAccountName }) => serviceAccountName);
    expect(new Set(accounts)).toEqual(new Set([deployment?.spec.template.spec.serviceAccountName]));
    const rules = clusterPermissions.flatMap(({ rules: all }) => all);
    const may = (group: string, resource: string, verb: string) =>
      rules.some(
        ({ apiGroups, resources, verbs }) =>
          apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
      );
    expect(may('apps', 'statefulsets', 'create') && may('', 'services', 'patch')).toBe(true);
    expect(may('rbac.authorization.k8s.io', 'roles', 'escalate')).toBe(true);
    expect(may('rbac.authorization.k8s.io', 'clusterroles', 'escalate') || may('', 'pods', 'create')).toBe(false);
    expect(rules.some(({ resources, apiGroups }) => resources.includes('*') || apiGroups.includes('*'))).toBe(false);
  });

  it('says in its annotations, and in the labels of its image, what it is', () => {
    const { annotations } = read('metadata/annotations.yaml') as unknown as {
      annotations: Readonly<Record<string, string>>;
    };
    const prefix = 'operators.operatorframework.io.bundle';
    expect(annotations).toEqual({
      [`${prefix}.mediatype.v1`]: 'registry+v1',
      [`${prefix}.manifests.v1`]: 'manifests/',
      [`${prefix}.metadata.v1`]: 'metadata/',
      [`${prefix}.package.v1`]: 'connectors-operator',
      [`${prefix}.channels.v1`]: 'alpha',
      [`${prefix}.channel.default.v1`]: 'alpha',
    });
    const dockerfile = readFileSync(join(bundle, 'bundle.Dockerfile'), 'utf8');
    for (const [key, value] of Object.entries(annotations)) expect(dockerfile).toContain(`LABEL ${key}=${value}\n`);
  });

  it.each([
    [['connectors', 'olm', '--payload', '.', '--image', 'a', '--release', 'one'], 'is no semantic version'],
    [['connectors', 'olm', '--payload', './none', '--image', 'a'], '--payload: there is no folder'],
    [['connectors', 'bundle', 'Shop', '-f', '.', '--release', 'v1'], 'is no name of a component'],
    [['connectors', 'bundle', 'shop', '-f', './none', '--release', 'v1'], 'there is no such file or folder'],
    [['connectors', 'new', '../shop'], 'is no name of a component'],
  ])('is not written for what cannot be meant: %j', (args, message) => {
    const { code, err } = scratch.tektite(args);
    expect(err).toContain(message);
    expect(code).not.toBe(0);
  });

  it('comes with a payload to begin with, which is not overwritten', () => {
    expect(scratch.tektite(['connectors', 'new', 'shop']).out).toContain('shop/kodata/shop/VERSION\n');
    expect(scratch.tektite(['connectors', 'new', 'shop']).err).toContain('--out: ');
    const packed = scratch.tektite(['connectors', 'bundle', 'shop', '-f', 'shop/kodata/shop', '--release', 'v2']);
    expect(packed.out).toBe('kodata/shop/manifest.yaml\nkodata/shop/VERSION\nkodata/shop/CONTENTS\n');
    const contents = JSON.parse(readFileSync(join(scratch.path, 'kodata/shop/CONTENTS'), 'utf8')) as object;
    expect(contents).toMatchObject({ component: 'shop', version: 'v2', images: ['busybox:1.36'] });
  });
});

describe('the OLM bundle of the Tekton Operator', () => {
  const scratch = new Scratch();
  const read = (path: string) => parseFirstYaml(readFileSync(join(scratch.path, 'bundle', path), 'utf8'))?.value;
  let csv: ServiceVersion;
  beforeAll(() => {
    const images = ['--image', 'r.example.com/tektite:1', '--entrypoint-image', 'r.example.com/entrypoint:1'];
    const { code, err } = scratch.tektite(['olm', 'tekton-operator', ...images, '--release', '1.2.3']);
    expect(`${code} ${err}`).toBe('0 ');
    csv = read('manifests/tekton-operator.clusterserviceversion.yaml') as unknown as ServiceVersion;
  });
  afterAll(() => scratch[Symbol.dispose]());

  it('shows an example of each kind that it owns, which the server takes', async () => {
    await using plane = await startControlPlane();
    const files = readdirSync(join(scratch.path, 'bundle/manifests')).filter((file) => file.endsWith('.crd.yaml'));
    for (const file of files)
      await plane.client.create(kinds.CustomResourceDefinition, read(`manifests/${file}`) as never);
    const examples = JSON.parse(csv.metadata.annotations['alm-examples'] ?? '') as DynamicObject[];
    const { owned } = csv.spec.customresourcedefinitions;
    expect(examples.map(({ kind }) => kind).sort()).toEqual(owned.map(({ kind }) => kind).sort());
    expect(owned).toHaveLength(files.length);
    for (const example of examples)
      await plane.client.create(example as never, { dryRun: true, fieldValidation: 'Strict' });
  });

  it('brings what its Deployment needs: Services, an account with rights, images of Pods', () => {
    const [deployment] = csv.spec.install.spec.deployments;
    const { spec, metadata } = deployment?.spec.template ?? {};
    const service = read('manifests/tekton-operator-webhook.service.yaml') as unknown as {
      readonly spec: { readonly selector: object; readonly ports: readonly { readonly targetPort: number }[] };
    };
    expect(metadata?.labels).toMatchObject(service.spec.selector);
    const [container] = spec?.containers ?? [];
    expect(container).toMatchObject({
      ports: expect.arrayContaining([{ containerPort: 8443, name: 'https-webhook' }]),
    });
    expect(container).toMatchObject({
      env: expect.arrayContaining([{ name: 'TEKTITE_ENTRYPOINT_IMAGE', value: 'r.example.com/entrypoint:1' }]),
    });
    const { clusterPermissions } = csv.spec.install.spec;
    const rules = clusterPermissions.flatMap(({ rules: all }) => all);
    expect(rules.some(({ resources, verbs }) => resources.includes('clusterroles') && verbs.includes('escalate'))).toBe(
      true,
    );
    expect(clusterPermissions.map(({ serviceAccountName }) => serviceAccountName)).toEqual(['tekton-operator']);
  });

  it('is written for operators alone', () => {
    const { code, err } = scratch.tektite(['olm', 'dashboard', '--image', 'a']);
    expect(err).toContain('there is no operator "dashboard"; give one of connectors, tekton-operator');
    expect(code).not.toBe(0);
  });
});

it('what `tektite deploy connectors` prints has everything in the order in which it can be applied', () => {
  using scratch = new Scratch();
  const payload = join(repository, 'examples/connectors/kodata');
  const { out, code } = scratch.tektite(['deploy', 'connectors', '--payload', payload, '--image', 'a:1', '-o', 'json']);
  expect(code).toBe(0);
  const { items } = JSON.parse(out) as { items: { kind: string; metadata: { namespace?: string } }[] };
  expect(items.map(({ kind }) => kind)).toEqual([
    'Namespace',
    'CustomResourceDefinition',
    'CustomResourceDefinition',
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'Service',
    'Deployment',
    'Service',
    'PodDisruptionBudget',
    'NetworkPolicy',
  ]);
});

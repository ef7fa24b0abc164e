import { knownScopes, Manifest, parseObjects } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import {
  application,
  clusterRole,
  configMap,
  connector,
  definition,
  deployment,
  service,
  statefulSet,
} from '../test-support.ts';
import { renderConnector } from './render-connector.ts';
import { RenderFailure } from '../render-failure.ts';

interface Options {
  readonly spec?: object;
  readonly additional?: string;
  readonly version?: string;
  readonly allowClusterScope?: boolean;
}

function render(
  objects: readonly DynamicObject[],
  { spec = {}, additional, version, allowClusterScope }: Options = {},
) {
  const manifest = Manifest.of(objects, 'shop');
  const items = additional === undefined ? undefined : parseObjects(additional, 'more.yaml');
  return renderConnector({
    connector: connector('shop', spec, 'team'),
    payload: { component: 'shop', manifest, digest: 'd', ...(version ? { version } : {}) },
    ...(items ? { additional: { items, digest: 'more' } } : {}),
    operatorVersion: 'v9',
    scopes: knownScopes(new Manifest([...manifest.items, ...(items ?? [])])),
    ...(allowClusterScope ? { allowClusterScope } : {}),
  });
}

function objectsOf(...given: Parameters<typeof render>): readonly DynamicObject[] {
  const rendered = render(...given);
  return [...rendered.static.objects, ...rendered.deployment.objects].map(({ object }) => object);
}

const only = (...given: Parameters<typeof render>): DynamicObject => objectsOf(...given)[0] as DynamicObject;

function failure(...given: Parameters<typeof render>): string {
  try {
    render(...given);
  } catch (error) {
    if (error instanceof RenderFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'it was rendered';
}

interface Container {
  readonly name: string;
  readonly image?: string;
}
const podOf = (object: DynamicObject) =>
  (
    object.spec as {
      template: { metadata: { labels: object; annotations?: object }; spec: { containers: Container[] } };
    }
  ).template;

describe('the namespace', () => {
  it('is that of the Connector, for objects and for what refers to them', () => {
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'b' },
      subjects: [
        { kind: 'ServiceAccount', name: 'a', namespace: 'payload' },
        { kind: 'Group', name: 'g' },
      ],
    };
    const hook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'w', annotations: { 'cert-manager.io/inject-ca-from': 'payload/serving' } },
      webhooks: [{ name: 'a.example.com', clientConfig: { service: { name: 's', namespace: 'payload' } } }],
    };
    const certificate = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'serving', namespace: 'payload' },
      spec: { dnsNames: ['s.payload.svc', 's.payload', 's.other.svc.cluster.local', 'shop.example.com'] },
    };
    const [moved, where, cert] = objectsOf([binding, hook, certificate]) as [
      DynamicObject,
      DynamicObject,
      DynamicObject,
    ];
    expect(moved).toMatchObject({ subjects: [{ namespace: 'team' }, { kind: 'Group', name: 'g' }] });
    expect(moved.metadata.namespace).toBeUndefined();
    expect(where).toMatchObject({
      metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'team/serving' } },
      webhooks: [{ clientConfig: { service: { namespace: 'team' } } }],
    });
    expect(cert).toMatchObject({
      metadata: { namespace: 'team' },
      spec: { dnsNames: ['s.team.svc', 's.team', 's.team.svc.cluster.local', 'shop.example.com'] },
    });
  });

  it('of the payload is left out, others it brings stay', () => {
    const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const objects = objectsOf([namespace('payload'), namespace('team'), namespace('metrics'), configMap('a')]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Namespace metrics',
      'ConfigMap a',
    ]);
  });

  it('is not given to kinds of the payload that are in none', () => {
    const crd = definition('shops', 'Shop');
    const cluster = { ...crd, spec: { ...(crd.spec as object), scope: 'Cluster' } };
    const shop = { apiVersion: 'example.com/v1', kind: 'Shop', metadata: { name: 's' } };
    expect(objectsOf([cluster, shop])[1]?.metadata.namespace).toBeUndefined();
    expect(objectsOf([crd, shop])[1]?.metadata.namespace).toBe('team');
  });
});

describe('labels and annotations', () => {
  it('are on objects and their Pods, and in no selector', () => {
    const spec = { labels: { team: 'red' }, annotations: { note: 'x' } };
    const web = only([deployment('web')], { spec });
    expect(web.metadata).toMatchObject({ labels: { team: 'red' }, annotations: { note: 'x' } });
    expect(podOf(web).metadata).toEqual({ labels: { app: 'web', team: 'red' }, annotations: { note: 'x' } });
    expect(web.spec).toMatchObject({ selector: { matchLabels: { app: 'web' } } });
    expect(only([service('web')], { spec }).spec).toMatchObject({ selector: { app: 'web' } });
  });

  it('of the operator say to whom an object belongs, and are not on Pods', () => {
    const web = only([deployment('web')]);
    expect(web.metadata.labels).toEqual({
      'cpaas.io/managed-by': 'connectors-operator',
      'cpaas.io/connector-name': 'shop',
      'cpaas.io/connector-namespace': 'team',
    });
    expect(podOf(web).metadata.labels).toEqual({ app: 'web' });
  });
});

describe('the registry', () => {
  const registry = 'r.example.com/m';
  const imageOf = (image: string) =>
    podOf(only([deployment('web', { image })], { spec: { registry } })).spec.containers[0]?.image;

  it.each([
    ['ghcr.io/a/b:1', 'r.example.com/m/a/b:1'],
    ['localhost/a/b:1', 'r.example.com/m/a/b:1'],
    ['host:5000/a:1', 'r.example.com/m/a:1'],
    [`ghcr.io/a/b@sha256:${'a'.repeat(64)}`, `r.example.com/m/a/b@sha256:${'a'.repeat(64)}`],
    [`ghcr.io/a/b:1@sha256:${'a'.repeat(64)}`, `r.example.com/m/a/b:1@sha256:${'a'.repeat(64)}`],
    ['a/b:1', 'r.example.com/m/a/b:1'],
    ['nginx:1', 'r.example.com/m/nginx:1'],
    ['r.example.com/m/a/b:1', 'r.example.com/m/a/b:1'],
    ['', ''],
    ['$(IMAGE)', '$(IMAGE)'],
    ['${IMAGE}', '${IMAGE}'],
    ['{{ .image }}', '{{ .image }}'],
  ])('takes %s from %s', (image, wanted) => expect(imageOf(image)).toBe(wanted));

  it('names the object and the container of what is no image', () => {
    expect(failure([deployment('web', { image: 'not an image' })], { spec: { registry } })).toBe(
      'InvalidImage: Deployment team/web: "not an image" of container main is no image reference',
    );
  });

  it('is for fields that an object names, too', () => {
    const map = { ...configMap('a', { 'helper-image': 'ghcr.io/a/b:1' }) };
    const named = {
      ...map,
      metadata: { ...map.metadata, annotations: { 'cpaas.io/image-paths': 'data.helper-image' } },
    };
    expect(only([named], { spec: { registry } }).data).toEqual({ 'helper-image': 'r.example.com/m/a/b:1' });
  });

  it('is not for images that the Connector itself names', () => {
    const template = { spec: { containers: [{ name: 'main', image: 'mine.example.com/a:2' }] } };
    const spec = { registry, workloads: [{ name: 'web', template }] };
    expect(podOf(only([deployment('web')], { spec })).spec.containers[0]?.image).toBe('mine.example.com/a:2');
    const additional = `${JSON.stringify({ ...deployment('more'), metadata: { name: 'more' } })}\n`;
    const more = (extra: object) =>
      podOf(objectsOf([configMap('a')], { spec: { registry, ...extra }, additional })[1] as DynamicObject).spec;
    expect(more({}).containers[0]?.image).toBe('ghcr.io/acme/web:1');
    expect(more({ additionalManifestsApplyGlobal: true }).containers[0]?.image).toBe('r.example.com/m/acme/web:1');
  });
});

describe('workloads', () => {
  const both = [deployment('web'), statefulSet('web'), deployment('api')];
  const change = (...workloads: readonly object[]) => ({ spec: { workloads } });

  it('get replicas, by name, or by name and kind', () => {
    const replicas = (object: DynamicObject) => (object.spec as { replicas: number }).replicas;
    expect(objectsOf(both, change({ name: 'web', kind: '', replicas: 3 })).map(replicas)).toEqual([3, 3, 1]);
    expect(objectsOf(both, change({ name: 'web', kind: 'StatefulSet', replicas: 0 })).map(replicas)).toEqual([1, 0, 1]);
  });

  it('are merged by name of container, volume and variable; null removes', () => {
    const web = deployment('web');
    const base = podOf(web);
    const rich = {
      ...web,
      spec: {
        ...(web.spec as object),
        template: {
          ...base,
          spec: {
            nodeSelector: { disk: 'ssd' },
            containers: [
              {
                name: 'main',
                image: 'a:1',
                env: [
                  { name: 'A', value: '1' },
                  { name: 'B', value: '2' },
                ],
              },
              { name: 'side', image: 's:1' },
            ],
          },
        },
      },
    };
    const template = {
      spec: {
        nodeSelector: null,
        containers: [{ name: 'main', env: [{ name: 'B', value: '3' }], resources: { requests: { cpu: '100m' } } }],
      },
    };
    expect(podOf(only([rich], change({ name: 'web', template }))).spec).toEqual({
      containers: [
        {
          name: 'main',
          image: 'a:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '3' },
          ],
          resources: { requests: { cpu: '100m' } },
        },
        { name: 'side', image: 's:1' },
      ],
    });
  });

  it('have their selector replaced as a whole, and it has to meet their Pods', () => {
    const selector = { matchLabels: { app: 'x' } };
    expect(failure(both, change({ name: 'api', selector }))).toBe(
      'InvalidWorkload: Deployment api: selector app=x not in template labels',
    );
    const template = { metadata: { labels: { app: 'x' } } };
    const api = objectsOf(both, change({ name: 'api', selector, template }))[2];
    expect(api?.spec).toMatchObject({ selector, template: { metadata: { labels: { app: 'x' } } } });
  });

  it.each([
    [
      'a name that nothing has',
      [{ name: 'web' }, { name: 'db' }],
      'WorkloadNotFound: workloads[1] "db": no Deployment or StatefulSet with this name (have: web, api)',
    ],
    [
      'a kind that nothing of the name has',
      [{ name: 'api', kind: 'StatefulSet' }],
      'WorkloadNotFound: workloads[0] "api": no StatefulSet with this name (have: web)',
    ],
    [
      'instructions to the merge',
      [{ name: 'api', template: { spec: { containers: [{ $patch: 'delete', name: 'main' }] } } }],
      'InvalidWorkload: Deployment api: $patch is not possible in a template',
    ],
  ])('refuse %s', (_title, workloads, message) => expect(failure(both, change(...workloads))).toBe(message));
});

describe('additional manifests', () => {
  it('are laid over objects of the same name, after workloads, and put behind the others', () => {
    const spec = { labels: { team: 'red' }, workloads: [{ name: 'web', kind: '', replicas: 2 }] };
    const additional = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 5
  template: {spec: {containers: [{name: side, image: 'side:1'}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
data: {a: b}
`;
    const [extra, web] = objectsOf([deployment('web')], { spec, additional }) as [DynamicObject, DynamicObject];
    expect(extra.metadata).toMatchObject({ name: 'extra', namespace: 'team' });
    expect(extra.metadata.labels?.['team']).toBeUndefined();
    expect(web.spec).toMatchObject({ replicas: 5 });
    expect(
      podOf(web)
        .spec.containers.map(({ name }) => name)
        .sort(),
    ).toEqual(['main', 'side']);
  });

  const inCluster = JSON.stringify(clusterRole('admin'));
  it.each([
    ['a ClusterRole', inCluster, /^ForbiddenAdditionalObject: ClusterRole\/admin not allowed/],
    [
      'a binding for the whole cluster',
      '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"b"}}',
      /^ForbiddenAdditionalObject: ClusterRoleBinding\/b not allowed/,
    ],
    ['a definition', JSON.stringify(definition('a', 'A')), /CustomResourceDefinition\/a\.example\.com not allowed/],
    [
      'a webhook',
      '{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{"name":"w"}}',
      /MutatingWebhookConfiguration\/w not allowed/,
    ],
    [
      'an object of another namespace',
      '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"kube-system"}}',
      /Secret\/s not allowed: it is in namespace kube-system and not in team/,
    ],
    [
      'an object of an unknown kind',
      '{"apiVersion":"no.example.com/v1","kind":"What","metadata":{"name":"w"}}',
      /What\/w not allowed: the cluster does not serve this kind/,
    ],
    [
      'an object without a name',
      '{"apiVersion":"v1","kind":"Secret","metadata":{}}',
      /ParseFailed: a Secret has no name/,
    ],
  ])('must not bring %s', (_title, additional, message) => {
    expect(failure([configMap('a')], { additional })).toMatch(message);
  });

  it('may bring what is outside of the namespace where the operator allows it', () => {
    expect(
      objectsOf([configMap('a')], { additional: inCluster, allowClusterScope: true }).map(({ kind }) => kind),
    ).toEqual(['ConfigMap', 'ClusterRole']);
  });
});

describe('a render', () => {
  it('is split into workloads and what they need, in the order of the payload', () => {
    const rendered = render(application);
    const kinds = (set: typeof rendered.static) => set.objects.map(({ object }) => object.kind);
    expect(kinds(rendered.deployment)).toEqual(['Deployment', 'StatefulSet']);
    expect(kinds(rendered.static)).toEqual([
      'CustomResourceDefinition',
      'ClusterRole',
      'ServiceAccount',
      'ConfigMap',
      'Secret',
      'Service',
      'PersistentVolumeClaim',
    ]);
  });

  it('is the same for the same input, and another for each difference', () => {
    const hash = (spec: object) => render(application, { spec }).manifestsHash;
    expect(hash({})).toBe(hash({}));
    const all = [
      {},
      { labels: { a: 'b' } },
      { annotations: { a: 'b' } },
      { registry: 'r' },
      { workloads: [{ name: 'web', replicas: 7 }] },
    ];
    expect(new Set(all.map(hash)).size).toBe(all.length);
  });

  it('has the version of the payload, of its ConfigMap, or of the operator', () => {
    expect(render([configMap('a')], { version: 'v1' }).payloadVersion).toBe('v1');
    expect(render([configMap('shop-info', { version: 'v2' })]).payloadVersion).toBe('v2');
    expect(render([configMap('a')]).payloadVersion).toBe('v9');
  });

  it('refuses a payload that is empty or has an object twice', () => {
    expect(failure([])).toBe('PayloadMissing: no payload for component "shop"');
    expect(failure([configMap('a'), configMap('a')])).toBe('DuplicateObject: ConfigMap team/a is there twice');
  });

  it('leaves out fields that are null, and a hash in the input', () => {
    const metadata = { name: 'a', creationTimestamp: null, annotations: { 'cpaas.io/last-applied-hash': 'x' } };
    const given = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: null } as unknown as DynamicObject;
    const { metadata: made, ...rest } = only([given]);
    expect(rest).toEqual({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(Object.keys(made)).not.toContain('creationTimestamp');
    expect(made.annotations).toEqual({});
  });

  it('is not fooled by keys that mean something to JavaScript', () => {
    const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}') as object;
    only([deployment('web')], {
      spec: {
        labels,
        workloads: [{ name: 'web', template: JSON.parse('{"__proto__": {"polluted": true}}') as object }],
      },
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

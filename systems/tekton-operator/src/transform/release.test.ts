import { loadManifest, type Manifest } from '@tektite/manifest';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { Deployment } from '@tektite/schema/kubernetes';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasReleases, releases } from '../test-support.ts';
import { defaultPipeline } from '../rules/defaults/default-pipeline.ts';
import { imagesFrom, inRegistry } from './images.ts';
import { pipelineTransforms } from './pipeline-transforms.ts';
import { transformManifest } from './transform-manifest.ts';

const component = {
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonPipeline',
  metadata: { name: 'pipeline', uid: '1' },
} as KubeObject;

describe('images', () => {
  it.each([
    ['registry.example.com/a/b:1', 'mine.example.com/x', 'mine.example.com/x/a/b:1'],
    ['library/x', 'mine', 'mine/x'],
    ['busybox', 'mine', 'mine/busybox'],
    ['$(params.image)', 'mine', '$(params.image)'],
    ['a/b', undefined, 'a/b'],
  ])('%s from %s', (image, registry, moved) => {
    expect(inRegistry(image, registry)).toBe(moved);
  });

  it('are named by variables, whatever is in their values', () => {
    const { byName } = imagesFrom({ IMAGE_PIPELINES_WEBHOOK: 'a@sha256:1=2', IMAGE_OTHER: 'x' }, 'IMAGE_PIPELINES_');
    expect([...byName]).toEqual([['webhook', 'a@sha256:1=2']]);
  });
});

describe.runIf(hasReleases)('the release of Pipelines', () => {
  let release: Manifest;
  beforeAll(async () => {
    release = await loadManifest({ kind: 'path', path: `${releases}tekton-pipeline/v1.15.0`, recursive: true });
  });

  function transformed(settings: object = {}, environment: Record<string, string> = {}, namespace = 'elsewhere') {
    const spec = defaultPipeline(settings, 'kubernetes');
    const images = imagesFrom(environment, 'IMAGE_PIPELINES_');
    return transformManifest(release, { component, namespace, environment, steps: pipelineTransforms(spec, images) })
      .objects;
  }
  const find = <T = DynamicObject>(objects: readonly DynamicObject[], kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name) as unknown as T;
  const data = (objects: readonly DynamicObject[], name: string) =>
    find<{ data?: Record<string, string> }>(objects, 'ConfigMap', name).data ?? {};

  it('is moved as a whole: no object is left in another namespace, and no reference points there', () => {
    const objects = transformed();
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace).filter((name) => name !== undefined));
    expect([...namespaces]).toEqual(['elsewhere']);
    const places = JSON.stringify(objects, (key, value: unknown) =>
      key === 'namespace' ? `«${String(value)}»` : value,
    );
    expect(places).not.toContain('«tekton-pipelines');
    const role = find<{ rules: { resources?: string[]; resourceNames?: string[] }[] }>(
      objects,
      'ClusterRole',
      'tekton-pipelines-webhook-cluster-access',
    );
    const names = role.rules.filter(({ resources }) => resources?.some((name) => name.startsWith('namespaces')));
    expect(names.flatMap(({ resourceNames = [] }) => resourceNames)).not.toContain('tekton-pipelines');
  });

  it('has the settings in its ConfigMaps', () => {
    const objects = transformed({
      'enable-api-fields': 'alpha',
      'default-timeout-minutes': 9,
      'traces.enabled': true,
      'traces.endpoint': 'http://jaeger',
      'metrics.taskrun.level': 'namespace',
      'git-resolver-config': { 'server-url': 'https://git.example.com' },
      performance: { 'disable-ha': true, buckets: 4, 'kube-api-qps': 12.5 },
    });
    expect(data(objects, 'feature-flags')).toMatchObject({
      'enable-api-fields': 'alpha',
      'keep-pod-on-cancel': 'false',
    });
    expect(data(objects, 'feature-flags')).not.toHaveProperty('performance');
    expect(data(objects, 'config-defaults')['default-timeout-minutes']).toBe('9');
    expect(data(objects, 'config-tracing')).toMatchObject({ enabled: 'true', endpoint: 'http://jaeger' });
    expect(data(objects, 'config-observability')['metrics.taskrun.level']).toBe('namespace');
    expect(data(objects, 'git-resolver-config')['server-url']).toBe('https://git.example.com');
    expect(data(objects, 'config-leader-election-controller').buckets).toBe('4');
    const { spec } = find<Deployment>(objects, 'Deployment', 'tekton-pipelines-controller');
    expect(spec?.template.spec?.containers?.[0]?.args).toEqual(
      expect.arrayContaining(['-disable-ha=true', '-kube-api-qps=12.5']),
    );
    const resolvers = find<Deployment>(objects, 'Deployment', 'tekton-pipelines-remote-resolvers');
    expect(resolvers.spec?.template.spec?.containers?.[0]?.args ?? []).not.toContain('-disable-ha=true');
  });

  it('has the images that variables name, in arguments too', () => {
    const objects = transformed(
      {},
      {
        IMAGE_PIPELINES_TEKTON_PIPELINES_CONTROLLER: 'mine/controller',
        IMAGE_PIPELINES_ARG__ENTRYPOINT_IMAGE: 'mine/entrypoint',
        KUBERNETES_MIN_VERSION: 'v1.0.0',
      },
    );
    const { spec } = find<Deployment>(objects, 'Deployment', 'tekton-pipelines-controller');
    const container = spec?.template.spec?.containers?.[0];
    expect(container?.image).toBe('mine/controller');
    const args = container?.args ?? [];
    expect(args[args.indexOf('-entrypoint-image') + 1]).toBe('mine/entrypoint');
    expect(container?.env).toContainEqual({ name: 'KUBERNETES_MIN_VERSION', value: 'v1.0.0' });
  });

  it('with ordinals has StatefulSets in the place of two Deployments', () => {
    const objects = transformed({ performance: { 'disable-ha': false, 'statefulset-ordinals': true, replicas: 2 } });
    const set = find<{ spec: { serviceName: string; replicas: number; template: Deployment['spec'] & object } }>(
      objects,
      'StatefulSet',
      'tekton-pipelines-controller',
    );
    expect(set.spec).toMatchObject({ serviceName: 'tekton-pipelines-controller', replicas: 2 });
    expect(find(objects, 'Deployment', 'tekton-pipelines-controller')).toBeUndefined();
    expect(find(objects, 'StatefulSet', 'tekton-pipelines-remote-resolvers')).toBeDefined();
    expect(find(objects, 'Deployment', 'tekton-pipelines-webhook')).toBeDefined();
  });

  it('has Pods as the restricted standard wants them, and every object its labels and owner', () => {
    const objects = transformed();
    for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
      const { spec } = (object as unknown as Deployment).spec?.template ?? {};
      expect(spec?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of spec?.containers ?? [])
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
    }
    for (const { kind, metadata } of objects) {
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'TektonPipeline', uid: '1' }]);
      if (kind !== 'RoleBinding')
        expect(metadata.labels).toMatchObject({ 'operator.tekton.dev/operand-name': 'tektoncd-pipelines' });
    }
    expect(objects.slice(-3).every(({ kind }) => kind === 'RoleBinding')).toBe(true);
  });

  it('is the same each time, and leaves the release as it was', () => {
    const before = JSON.stringify(release.objects);
    expect(JSON.stringify(transformed())).toBe(JSON.stringify(transformed()));
    expect(JSON.stringify(release.objects)).toBe(before);
  });
});

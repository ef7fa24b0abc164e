import { Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { AdditionalOptions } from '../kinds/shared-fields.ts';
import { mergeArguments } from './merge-arguments.ts';
import { overlayOptions } from './options.ts';

describe('arguments of a user over those of a release', () => {
  it.each<[string, string[], string[], string[]]>([
    ['a value in the same style', ['-a=1', '-b=2'], ['-a=9'], ['-a=9', '-b=2']],
    ['a value in the style that is there', ['-a', '1', '-b'], ['-a=9'], ['-a', '9', '-b']],
    ['a pair for one with an equals sign', ['-a=1'], ['-a', '9'], ['-a=9']],
    ['a new flag', ['-a=1'], ['-c=3', '-d', '4'], ['-a=1', '-c=3', '-d', '4']],
    ['a word that is there', ['serve', '-v'], ['serve', '-v', '-x'], ['serve', '-v', '-x']],
    ['a flag twice', [], ['-a=1', '-a=2'], ['-a=2']],
  ])('merge %s', (_, given, wanted, merged) => {
    expect(mergeArguments(given, wanted)).toEqual(merged);
  });
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'tekton', labels: { a: '1' } },
  spec: {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    selector: { matchLabels: { a: '1' } },
    template: {
      metadata: { labels: { a: '1' } },
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          {
            name: 'c',
            image: 'i',
            args: ['-a=1'],
            env: [{ name: 'E', value: '1' }],
            volumeMounts: [{ name: 'v', mountPath: '/v' }],
          },
        ],
      },
    },
  },
} as unknown as DynamicObject;

function overlay(options: AdditionalOptions, ...objects: readonly DynamicObject[]): readonly DynamicObject[] {
  return overlayOptions(Manifest.of(objects), 'tekton', options).objects;
}

describe('options', () => {
  it('change a Deployment where they may, and nothing else', () => {
    const spec = {
      replicas: 3,
      strategy: { type: 'Recreate' },
      template: {
        metadata: { labels: { b: '2' }, annotations: { n: 'x' } },
        spec: {
          nodeSelector: { disk: 'ssd' },
          tolerations: [],
          volumes: [
            { name: 'v', configMap: { name: 'm' } },
            { name: 'w', emptyDir: {} },
          ],
          containers: [
            {
              name: 'c',
              image: 'other',
              args: ['-a=2', '-b'],
              env: [
                { name: 'E', value: '2' },
                { name: 'F', value: '3' },
              ],
              resources: { limits: { cpu: '1' } },
              volumeMounts: [{ name: 'v', mountPath: '/other' }],
            },
            { name: 'more', image: 'm' },
          ],
        },
      },
    };
    const [changed] = overlay(
      { deployments: { web: { metadata: { labels: { l: '1' } }, spec } } } as never,
      deployment,
    );
    expect(changed).toMatchObject({
      metadata: { labels: { a: '1', l: '1' } },
      spec: {
        replicas: 3,
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: { a: '1', b: '2' }, annotations: { n: 'x' } },
          spec: {
            nodeSelector: { disk: 'ssd' },
            volumes: [{ name: 'v', configMap: { name: 'm' } }, { name: 'w' }],
            containers: [
              {
                name: 'c',
                image: 'i',
                args: ['-a=2', '-b'],
                env: [{ name: 'E', value: '2' }, { name: 'F' }],
                resources: { limits: { cpu: '1' } },
                volumeMounts: [{ name: 'v', mountPath: '/other' }],
              },
              { name: 'more', image: 'm' },
            ],
          },
        },
      },
    });
  });

  it('give every Deployment a label that changes with its spec, but not with its strategy', () => {
    const label = (object: DynamicObject | undefined) =>
      (object as unknown as { spec: { template: { metadata: { labels: Record<string, string> } } } }).spec.template
        .metadata.labels['operator.tekton.dev/deployment-spec-applied-hash'];
    const [plain] = overlay({}, deployment);
    expect(label(plain)).toMatch(/^[0-9a-f]{32}$/);
    const [strategy] = overlay(
      { deployments: { web: { spec: { strategy: { type: 'Recreate' } } } } } as never,
      deployment,
    );
    expect(label(strategy)).toBe(label(plain));
    const [replicas] = overlay({ deployments: { web: { spec: { replicas: 2 } } } } as never, deployment);
    expect(label(replicas)).not.toBe(label(plain));
    expect(overlay({ disabled: true }, deployment)).toEqual([deployment]);
  });

  it('change ConfigMaps, and add those that there are not', () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'tekton' }, data: { a: '1' } };
    const result = overlay({ configMaps: { m: { data: { a: '2', b: '3' } }, n: { data: { c: '4' } } } } as never, map);
    expect(result).toEqual([
      { ...map, data: { a: '2', b: '3' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n', namespace: 'tekton' }, data: { c: '4' } },
    ]);
  });

  it('change the webhook that is called as its configuration is', () => {
    const hooks = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'a' },
      webhooks: [
        { name: 'a', failurePolicy: 'Fail' },
        { name: 'b', failurePolicy: 'Fail' },
      ],
    };
    const options = { webhookConfigurationOptions: { a: { failurePolicy: 'Ignore', timeoutSeconds: 3 } } };
    expect(overlay(options, hooks as unknown as DynamicObject)).toMatchObject([
      {
        webhooks: [
          { name: 'a', failurePolicy: 'Ignore', timeoutSeconds: 3 },
          { name: 'b', failurePolicy: 'Fail' },
        ],
      },
    ]);
  });

  it('are not fooled by names that every object has', () => {
    const odd = { ...deployment, metadata: { name: 'constructor' } };
    expect(overlay({ deployments: {} }, odd)).toHaveLength(1);
    const polluting = JSON.parse('{"configMaps":{"__proto__":{"data":{"x":"1"}}}}') as AdditionalOptions;
    expect(overlay(polluting).map(({ metadata }) => metadata.name)).toEqual(['__proto__']);
    expect(({} as { data?: unknown }).data).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { ComponentDescription } from '../component/component-description.ts';
import { completeSpec } from '../component/complete-spec.ts';
import type { ComponentObject } from '../component/component-object.ts';
import { specHash } from '../installer-set/spec-hash.ts';
import { labelWithHash } from '../transform/deployment-hash.ts';
import type { DraftDeployment } from '../transform/workload.ts';
import { descriptions } from './all-components.ts';

const targetNamespace = 'tekton-pipelines';
const container = {
  name: 'c',
  image: 'i',
  args: ['<'],
  resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
  env: [{ name: 'A', value: '' }],
};
const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
const claim = { metadata: { name: 'd' }, spec: { resources: { requests: { storage: '1Gi' } } } };
const options = {
  deployments: {
    x: {
      spec: {
        replicas: 2,
        template: {
          metadata: { labels: { b: '1', a: '2' } },
          spec: { containers: [container], tolerations: [{ key: 'k', tolerationSeconds: 0 }] },
        },
      },
    },
  },
  statefulSets: { y: { spec: { volumeClaimTemplates: [claim] } } },
  horizontalPodAutoscalers: { z: { spec: { maxReplicas: 3, metrics: [{ type: 'Resource', resource: cpu }] } } },
  configMaps: { m: { metadata: { annotations: { n: '&' } }, data: { b: '1', a: '2' } } },
  webhookConfigurationOptions: {
    'w.example.com': { sideEffects: 'None', timeoutSeconds: 3, failurePolicy: 'Fail' },
  },
};

/** The hashed fields besides the spec. */
const more = {
  all: { PlatformData: '', RegistryOverride: '' },
  extra: { ExtraData: '' },
  spec: {},
} as const;

/** The hashes were computed by a program of upstream's operator 0.81.1, which decoded and defaulted these specs. */
const recorded: readonly (readonly [string, keyof typeof more, object, string])[] = [
  ['TektonPipeline', 'all', {}, '9e8cbae58dea35348ba7196bcd09c656d072d6e0de860459828d60089dec8ad7'],
  [
    'TektonPipeline',
    'all',
    {
      performance: { replicas: 2, 'statefulset-ordinals': true },
      'traces.enabled': true,
      options: options,
      params: [{ name: 'p' }],
      config: { nodeSelector: { b: '1', a: '2' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
    },
    'd92fd0352fd5933e556318a5ad2af141241cc2efc4944049a84c553feb737080',
  ],
  ['TektonTrigger', 'all', {}, '7f3c6d99c9399947304f885e0354c7c95b70c298e87ffce324885c4394501b47'],
  [
    'TektonTrigger',
    'all',
    { networkPolicy: { policies: { p: { podSelector: {}, ingress: [{ ports: [{ port: 'http' }] }] } } } },
    '506aa2fcce4ed10407f23e9920cb14335220e76ed6b33a0dd29f6b23f31b9d30',
  ],
  ['TektonChain', 'spec', {}, '8c9af0ece8a03a5abdde4e79bd823eaad1983cc36669882b08a8db9e2ea816d3'],
  [
    'TektonChain',
    'spec',
    {
      generateSigningSecret: true,
      'artifacts.oci.storage': '',
      controllerEnvs: [{ name: 'MONGO_SERVER_URL', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    },
    'fcb89a98af37946033744d6965b82227b2d4813647c01d5c4b4456be178758cc',
  ],
  [
    'TektonResult',
    'extra',
    { is_external_db: false },
    '0d796b8f6e8ae15119f7575605cb7e4dc515b1bbb1ecaca3a3fa028fc9e3cf53',
  ],
  [
    'TektonResult',
    'extra',
    { is_external_db: true, db_port: 5432, watcher: { store_deadline: '90m', summary_labels: '' } },
    '02c128471c052831162490af5d0b2f5e87cb6ed6e4e0b87722a8cfb5f9c50d35',
  ],
  [
    'TektonDashboard',
    'all',
    { readonly: true, options: { configMaps: {} } },
    '87260bd91d352aa34ee0475248ff0d36ea0e2a1508de952a0530ece1237fea11',
  ],
  ['TektonPruner', 'all', {}, '97523b538ca6c1f60e93497f51d49f6e27a419abedca274b23bbf8773d01ca9a'],
  [
    'TektonPruner',
    'all',
    {
      disabled: false,
      'global-config': {
        namespaces: { a: { historyLimit: 0, taskRuns: [{ name: 't', selector: [{ matchLabels: { x: 'y' } }] }] } },
      },
    },
    '8b75395f0ca4e0ad520960bf7b219736682de447e70512e6ab7f1e6f81de56e2',
  ],
  [
    'TektonScheduler',
    'all',
    {
      disabled: false,
      'config.yaml': { queueName: 'q', cel: { expressions: ['a < b'] } },
      'multi-cluster-disabled': false,
      'multi-cluster-role': 'Hub',
    },
    '34a211f3e941ec5af9ea80cf9112a5ac829617c81d8219b1c0738ae227e338a9',
  ],
  ['TektonMulticlusterProxyAAE', 'all', {}, '8cd6c2843271c7102edeccfb51b29a5330a8a812f78bc70b9252dc72172773bc'],
  [
    'ManualApprovalGate',
    'all',
    { options: options },
    '72199342b99e295b4f8478e0a96fd07dfc09c1a165b533f8b8304d0633128e59',
  ],
  [
    'OpenShiftPipelinesAsCode',
    'all',
    {
      settings: { 'hub-catalog-type': 'artifacthub', 'application-name': 'ours' },
      additionalPACControllers: { more: { settings: {} } },
    },
    '95616ee445ff5d7fa794f7e50ee568661c014fae04264e9c38af77f48a26530a',
  ],
  [
    'TektonAddon',
    'all',
    {
      params: [
        { name: 'resolverTasks', value: 'false' },
        { name: 'pipelineTemplates', value: 'false' },
        { name: 'communityResolverTasks', value: 'true' },
        { name: 'resolverStepActions', value: 'true' },
      ],
    },
    'b421fe31c34fdbb3f86526162cfb20dfa08fe7526fc9b44871aeca68828114d7',
  ],
  [
    'SyncerService',
    'spec',
    { config: { priorityClassName: 'p' } },
    'd0c7de8932e451f18f61809a2309b6dd9068c731fc628849ff083c5a7f0a3a82',
  ],
];

describe('the hash of an installer set is the one that the operator in Go computes', () => {
  it.each(recorded)('%s, counting %s: %j', (kind, counting, spec, expected) => {
    const description = descriptions.find((each) => each.kind.kind === kind) as ComponentDescription<ComponentObject>;
    const complete = completeSpec(description, { targetNamespace, ...spec }, 'kubernetes');
    const schema = description.kind.schema?.properties?.spec;
    expect(specHash(complete, schema, more[counting])).toBe(expected);
  });

  it('and so is that in the labels of Pods', () => {
    const deployment = {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'Recreate' },
        replicas: 1,
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [container], volumes: [{ name: 'v', emptyDir: {} }] },
        },
      },
    } as unknown as DraftDeployment;
    labelWithHash(deployment);
    expect(deployment.spec.template.metadata?.labels).toEqual({
      a: 'b',
      'operator.tekton.dev/deployment-spec-applied-hash': '6df2d9fe4d7eb9efee1390c27970ce3d',
    });
  });
});

import { type RunningSystems, startSystems } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allKinds } from '../kinds/all-kinds.ts';
import {
  ManualApprovalGate,
  OpenShiftPipelinesAsCode,
  TektonAddon,
  TektonChain,
  TektonDashboard,
  TektonPipeline,
  TektonPruner,
  TektonResult,
  TektonTrigger,
} from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import type { Platform } from '../platform/platform.ts';
import { operatorWebhooks } from './operator-webhooks.ts';

interface Admission {
  readonly plane: ControlPlane;
  readonly running: RunningSystems;
}

async function start(platform: Platform): Promise<Admission> {
  const plane = await startControlPlane();
  const service = { namespace: 'tekton-operator', name: 'tekton-operator-webhook' };
  const running = await startSystems(
    [{ name: 'tekton-operator', kinds: allKinds, controllers: [], webhooks: operatorWebhooks(platform) }],
    { client: plane.client, graceMs: 0, webhooks: { host: plane.server.localWebhooks, service } },
  );
  return { plane, running };
}

const admissions = {} as Record<Platform, Admission>;
beforeAll(async () => {
  for (const platform of ['kubernetes', 'openshift'] as const) admissions[platform] = await start(platform);
});
afterAll(async () => {
  for (const { plane, running } of Object.values(admissions)) {
    await running.stop();
    await plane.close();
  }
});

const targetNamespace = 'tekton-pipelines';
async function create<T extends KubeObject>(
  kind: Kind<T>,
  name: string,
  spec: object,
  platform: Platform = 'kubernetes',
) {
  const { client } = admissions[platform].plane;
  return client.create(kind, { metadata: { name }, spec } as never, { dryRun: true } as never);
}

describe('a TektonConfig', () => {
  it('is stored with everything that was left out', async () => {
    const { spec } = await create(TektonConfig, 'config', { targetNamespace });
    expect(spec).toMatchObject({
      profile: 'basic',
      targetNamespace,
      pipeline: {
        'enable-api-fields': 'beta',
        'enable-step-actions': false,
        'max-result-size': 4096,
        coschedule: 'workspaces',
        performance: { 'disable-ha': false },
        options: {},
      },
      trigger: { disabled: false, 'enable-api-fields': 'stable', options: {} },
      chain: { disabled: false, 'artifacts.oci.storage': 'oci', 'artifacts.oci.format': 'simplesigning' },
      result: { disabled: false, is_external_db: false, route_enabled: false, route_tls_termination: 'edge' },
      dashboard: { readonly: false, options: {} },
      tektonpruner: { disabled: true, 'global-config': { enforcedConfigLevel: 'global', historyLimit: 100 } },
      scheduler: {
        disabled: true,
        'multi-cluster-disabled': true,
        'multi-cluster-role': '',
        'config.yaml': { queueName: 'pipelines-queue', cel: {} },
      },
      pruner: { disabled: false, keep: 100, resources: ['pipelinerun'] },
      platforms: {
        kubernetes: { pipelinesAsCode: { enable: true, settings: { 'application-name': 'Pipelines as Code CI' } } },
        openshift: {},
      },
      config: {},
      networkPolicy: {},
    });
    expect(spec?.addon?.params?.map(({ name }) => name)).toHaveLength(4);
  });

  it('stays as it is when it is written again', async () => {
    const { client } = admissions.openshift.plane;
    const created = await client.create(TektonConfig, {
      metadata: { name: 'config' },
      spec: { targetNamespace },
    } as never);
    const updated = await client.update(TektonConfig, created);
    expect(updated.spec).toEqual(created.spec);
    expect(updated.metadata.generation).toBe(1);
    await client.delete(TektonConfig, { name: 'config' });
  });

  it('keeps what the user says', async () => {
    const { spec } = await create(TektonConfig, 'config', {
      targetNamespace,
      profile: 'lite',
      pipeline: { 'enable-api-fields': 'alpha', 'disable-affinity-assistant': true, 'metrics.taskrun.level': '' },
      pruner: { disabled: false, resources: [' TaskRun '], 'keep-since': 5 },
      chain: { disabled: true, 'artifacts.taskrun.storage': '', 'transparency.enabled': true },
    });
    expect(spec?.profile).toBe('lite');
    expect(spec?.pipeline).toMatchObject({ 'enable-api-fields': 'alpha', 'metrics.taskrun.level': 'task' });
    expect(spec?.pipeline).not.toHaveProperty('disable-affinity-assistant');
    expect(spec?.pruner).toEqual({ disabled: false, resources: ['taskrun'], 'keep-since': 5 });
    expect(spec?.chain).toMatchObject({ 'artifacts.taskrun.storage': '', 'transparency.enabled': 'true' });
  });

  it('on OpenShift has its security and its Pipelines as Code', async () => {
    const { spec } = await create(
      TektonConfig,
      'config',
      { targetNamespace, platforms: { kubernetes: { pipelinesAsCode: { enable: false } } } },
      'openshift',
    );
    expect(spec?.platforms).toMatchObject({
      openshift: {
        enableCentralTLSConfig: true,
        scc: { default: 'pipelines-scc' },
        pipelinesAsCode: { enable: false },
      },
      kubernetes: {},
    });
    expect(spec?.pipeline).toMatchObject({
      'default-service-account': 'pipeline',
      params: [{ name: 'enableMetrics', value: 'true' }],
    });
    expect(spec?.trigger).toMatchObject({ 'default-service-account': 'pipeline' });
    expect(spec?.result).toMatchObject({ route_enabled: true });
  });

  it('keeps its namespace', async () => {
    const { client } = admissions.kubernetes.plane;
    const config = await client.create(TektonConfig, {
      metadata: { name: 'config' },
      spec: { targetNamespace },
    } as never);
    const moved = client.update(TektonConfig, {
      ...config,
      spec: { ...config.spec, targetNamespace: 'other' },
    } as never);
    await expect(moved).rejects.toMatchObject({
      status: {
        code: 400,
        message:
          'admission webhook "validation.webhook.operator.tekton.dev" denied the request: validation failed: ' +
          "Doesn't allow to update targetNamespace, delete existing TektonConfig and create the updated TektonConfig: spec.targetNamespace",
      },
    });
    await client.delete(TektonConfig, { name: 'config' });
  });

  it.each<[string, object, string]>([
    ['no namespace', {}, 'missing field(s): spec.targetNamespace'],
    ["the cluster's namespace", { targetNamespace: 'kube-system' }, 'invalid value: kube-system: spec.targetNamespace'],
    ['an unknown profile', { targetNamespace, profile: 'huge' }, 'invalid value: huge: spec.profile'],
    [
      'both ways to keep runs',
      { targetNamespace, pruner: { disabled: false, keep: 1, 'keep-since': 1 } },
      'expected exactly one, got both: spec.pruner.keep, spec.pruner.keep-since',
    ],
    [
      'nothing to keep',
      { targetNamespace, pruner: { disabled: false, keep: 0 } },
      'invalid value: 0: spec.pruner.keep',
    ],
    [
      'a strange kind to prune',
      { targetNamespace, pruner: { disabled: false, resources: ['pod'] } },
      'invalid value: pod: spec.pruner.resources[0]',
    ],
    [
      'too many buckets',
      { targetNamespace, pipeline: { performance: { buckets: 11 } } },
      'expected 1 <= 11 <= 10: spec.pipeline.performance.buckets',
    ],
    [
      "OpenShift's settings",
      { targetNamespace, platforms: { openshift: { scc: { default: 'a' } } } },
      'this cluster runs the Kubernetes Tekton Operator',
    ],
    [
      'a role without several clusters',
      { targetNamespace, scheduler: { 'multi-cluster-role': 'Hub' } },
      'multicluster-role should be blank',
    ],
    [
      'a role that there is not',
      {
        targetNamespace,
        scheduler: { disabled: false, 'multi-cluster-disabled': false, 'multi-cluster-role': 'King' },
      },
      "multicluster-role should be 'Hub' or 'Spoke'",
    ],
    [
      'a limit above that of all',
      {
        targetNamespace,
        tektonpruner: {
          disabled: false,
          'global-config': { historyLimit: 5, namespaces: { a: { successfulHistoryLimit: 6 } } },
        },
      },
      'pruner config validation failed: global-config.namespaces.a: successfulHistoryLimit (6) cannot exceed global historyLimit (5): spec.tektonpruner.global-config',
    ],
    [
      'a strange failure policy, whichever entry has it',
      {
        targetNamespace,
        pipeline: {
          options: { webhookConfigurationOptions: { a: { failurePolicy: 'Fail' }, b: { failurePolicy: 'x' } } },
        },
      },
      'invalid value: x: spec.pipeline.options.webhookconfigurationoptions.failurePolicy',
    ],
    [
      'a Deployment with a field that there is not',
      { targetNamespace, pipeline: { options: { deployments: { a: { spec: { replica: 2 } } } } } },
      'json: unknown field "replica"',
    ],
    [
      'a link that leads nowhere',
      {
        targetNamespace,
        platforms: {
          kubernetes: { pipelinesAsCode: { enable: true, settings: { 'custom-console-url-pr-tasklog': 'x' } } },
        },
      },
      'custom validation failed for field CustomConsolePRTaskLog: invalid value, must start with http:// or https://',
    ],
  ])('with %s is refused', async (_, spec, message) => {
    await expect(create(TektonConfig, 'config', spec)).rejects.toThrow(message);
  });

  it('on OpenShift is refused in the namespace of operators', async () => {
    const created = create(TektonConfig, 'config', { targetNamespace: 'openshift-operators' }, 'openshift');
    await expect(created).rejects.toThrow("'openshift-operators' namespace is not allowed");
  });
});

describe('each kind has one object', () => {
  it.each<[Kind, Platform, string]>([
    [TektonConfig, 'kubernetes', 'metadata.name,  Only one instance of TektonConfig is allowed by name, config'],
    [TektonPipeline, 'kubernetes', 'metadata.name, Only one instance of TektonPipeline is allowed by name, pipeline'],
    [TektonTrigger, 'kubernetes', 'metadata.name,  Only one instance of TektonTrigger is allowed by name, trigger'],
    [TektonResult, 'kubernetes', 'metadata.name, Only one instance of TektonResult is allowed by name, result'],
    [TektonChain, 'kubernetes', 'metadata.name, Only one instance of TektonChain is allowed by name, chain'],
    [
      TektonDashboard,
      'kubernetes',
      'metadata.name,  Only one instance of TektonDashboard is allowed by name, dashboard',
    ],
    [TektonAddon, 'openshift', 'metadata.name,  Only one instance of TektonAddon is allowed by name, addon'],
  ])('%#', async (kind, platform, message) => {
    await expect(create(kind, 'other', { targetNamespace }, platform)).rejects.toThrow(
      `invalid value: other: ${message}`,
    );
  });

  it('a pruner that is off may have any name', async () => {
    await expect(create(TektonPruner, 'other', { targetNamespace })).resolves.toMatchObject({
      spec: { disabled: true, 'global-config': { historyLimit: 100 } },
    });
    await expect(create(TektonPruner, 'other', { targetNamespace, disabled: false })).rejects.toThrow(
      'by name, pruner',
    );
  });

  it('kinds that upstream does not check are not checked', async () => {
    await expect(create(ManualApprovalGate, 'other', {})).resolves.toBeDefined();
    await expect(create(OpenShiftPipelinesAsCode, 'other', {})).resolves.toBeDefined();
  });
});

describe('settings of components', () => {
  it.each<[Kind, string, object, string, Platform?]>([
    [
      TektonTrigger,
      'trigger',
      { targetNamespace, 'enable-api-fields': 'beta' },
      'invalid value: beta: spec.enable-api-fields',
    ],
    [
      TektonChain,
      'chain',
      { targetNamespace, 'artifacts.oci.storage': 'oci, floppy' },
      'invalid value: floppy: spec.artifacts.oci.storage',
    ],
    [
      TektonChain,
      'chain',
      { targetNamespace, controllerEnvs: [{ name: 'PATH' }] },
      'invalid key name "PATH": supported keys are MONGO_SERVER_URL',
    ],
    [
      TektonResult,
      'result',
      { loki_stack_name: 'a' },
      'Loki stack namespace is required when loki_stack_name is provided',
    ],
    [TektonResult, 'result', { watcher: { store_deadline: '-1s' } }, 'invalid value: -1s: spec.watcher.store_deadline'],
    [
      TektonPipeline,
      'pipeline',
      { targetNamespace, networkPolicy: { policies: { Loud: {} } } },
      'invalid key name "Loud": spec.networkPolicy.policies',
    ],
    [
      TektonPipeline,
      'pipeline',
      { targetNamespace, performance: { 'statefulset-ordinals': true, replicas: 1 } },
      'missing field(s): spec.performance.buckets',
    ],
    [
      TektonAddon,
      'addon',
      {
        targetNamespace,
        params: [
          { name: 'resolverTasks', value: 'false' },
          { name: 'pipelineTemplates', value: 'true' },
        ],
      },
      'pipelineTemplates cannot be true if resolverTask is false: spec.params',
      'openshift',
    ],
    [
      OpenShiftPipelinesAsCode,
      'pipelines-as-code',
      { targetNamespace, additionalPACControllers: { 'a-name-that-is-much-too-long-for-it': {} } },
      'length must be no more than 25 characters',
      'openshift',
    ],
  ])('%# are refused', async (kind, name, spec, message, platform) => {
    await expect(create(kind, name, spec, platform)).rejects.toThrow(message);
  });

  it('the addons go with their tasks', async () => {
    const { spec } = await create(
      TektonAddon,
      'addon',
      { targetNamespace, params: [{ name: 'resolverTasks', value: 'false' }] },
      'openshift',
    );
    expect(spec?.params).toContainEqual({ name: 'pipelineTemplates', value: 'false' });
  });

  it('ordinals get as many buckets as there are replicas', async () => {
    const performance = { 'statefulset-ordinals': true, replicas: 3 };
    const { spec } = await create(TektonPipeline, 'pipeline', { targetNamespace, performance });
    expect(spec?.performance).toMatchObject({ buckets: 3, 'disable-ha': false });
  });
});

import type { Transform } from '@tektite/manifest';
import type { PipelineSettings } from '../kinds/pipeline-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { configMapData, settingTexts } from './config-map-values.ts';
import { containerVariables } from './environment-variables.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { operandLabel } from './operand-label.ts';
import { asStatefulSet, electionBuckets, tuneController } from './performance.ts';
import { schedulePods } from './scheduling.ts';

const featureFlags = [
  'disable-creds-init',
  'await-sidecar-readiness',
  'running-in-environment-with-injected-sidecars',
  'require-git-ssh-secret-known-hosts',
  'enable-custom-tasks',
  'enable-api-fields',
  'embedded-status',
  'send-cloudevents-for-runs',
  'verification-mode',
  'trusted-resources-verification-no-match-policy',
  'enable-provenance-in-status',
  'scope-when-expressions-to-task',
  'disable-affinity-assistant',
  'enforce-nonfalsifiability',
  'keep-pod-on-cancel',
  'results-from',
  'max-result-size',
  'set-security-context',
  'coschedule',
  'enable-cel-in-whenexpression',
  'enable-step-actions',
  'enable-param-enum',
  'disable-inline-spec',
];

const runDefaults = [
  'default-timeout-minutes',
  'default-service-account',
  'default-managed-by-label-value',
  'default-pod-template',
  'default-cloud-events-sink',
  'default-affinity-assistant-pod-template',
  'default-task-run-workspace-binding',
  'default-max-matrix-combinations-count',
  'default-forbidden-env',
  'default-resolver-type',
];

const metrics = [
  'metrics.taskrun.level',
  'metrics.taskrun.duration-type',
  'metrics.pipelinerun.level',
  'metrics.pipelinerun.duration-type',
  'metrics.count.enable-reason',
];

const resolvers = ['enable-bundles-resolver', 'enable-hub-resolver', 'enable-git-resolver', 'enable-cluster-resolver'];

const controller = {
  deployment: 'tekton-pipelines-controller',
  container: 'tekton-pipelines-controller',
  election: 'config-leader-election-controller',
};
const resolver = {
  deployment: 'tekton-pipelines-remote-resolvers',
  container: 'controller',
  election: 'config-leader-election-resolvers',
};

/** The transforms of a release of Pipelines. */
export function pipelineTransforms(
  settings: PipelineSettings & { readonly config?: Scheduling },
  images: ImageChoice,
): readonly (Transform | undefined)[] {
  const performance = settings.performance ?? { 'disable-ha': false };
  const ordinals = performance['statefulset-ordinals'] === true;
  return [
    operandLabel('tektoncd-pipelines'),
    configMapData('feature-flags', settingTexts(settings, featureFlags)),
    configMapData('config-defaults', settingTexts(settings, runDefaults)),
    configMapData('config-observability', settingTexts(settings, metrics)),
    configMapData('config-tracing', tracing(settings)),
    configMapData('resolvers-feature-flags', settingTexts(settings, resolvers)),
    workloadImages(images, 'Deployment', 'StatefulSet'),
    schedulePods(settings.config),
    configMapData('bundleresolver-config', settings['bundles-resolver-config'] ?? {}),
    configMapData('hubresolver-config', settings['hub-resolver-config'] ?? {}),
    configMapData('cluster-resolver-config', settings['cluster-resolver-config'] ?? {}),
    configMapData('git-resolver-config', settings['git-resolver-config'] ?? {}),
    electionBuckets(controller.election, performance),
    electionBuckets(resolver.election, performance),
    tuneController(controller, performance),
    tuneController(resolver, performance),
    containerVariables(resolver, hubAddresses(settings)),
    ordinals ? asStatefulSet(controller.deployment) : undefined,
    ordinals ? asStatefulSet(resolver.deployment) : undefined,
  ];
}

function tracing(settings: PipelineSettings): Readonly<Record<string, string | undefined>> {
  const enabled = settings['traces.enabled'];
  return {
    enabled: enabled === undefined ? undefined : String(enabled),
    endpoint: settings['traces.endpoint'] || undefined,
    credentialsSecret: settings['traces.credentialsSecret'] || undefined,
  };
}

/** Two settings of the hub resolver are variables of its process. */
function hubAddresses(settings: PipelineSettings): readonly { readonly name: string; readonly value: string }[] {
  const hub = settings['hub-resolver-config'] ?? {};
  return ['artifact-hub-api', 'tekton-hub-api']
    .filter((key) => Object.hasOwn(hub, key) && hub[key])
    .map((key) => ({ name: key.toUpperCase().replaceAll('-', '_'), value: hub[key] as string }));
}

import type { Transform } from '@tektite/manifest';
import { type PipelineSettings, type SettingMap, settingsOf } from '../kinds/pipeline-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { configMapData, settingTexts } from './config-map-values.ts';
import { containerVariables } from './environment-variables.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { operandLabel } from './operand-label.ts';
import { asStatefulSet, electionBuckets, tuneController } from './performance.ts';
import { schedulePods } from './scheduling.ts';

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
  const settingsIn = (map: SettingMap) => configMapData(map, settingTexts(settings, settingsOf(map)));
  return [
    operandLabel('tektoncd-pipelines'),
    ...(['feature-flags', 'config-defaults', 'config-observability'] as const).map(settingsIn),
    configMapData('config-tracing', tracing(settings)),
    settingsIn('resolvers-feature-flags'),
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

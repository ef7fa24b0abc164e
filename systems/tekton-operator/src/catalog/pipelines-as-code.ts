import type { Manifest } from '@tektite/manifest';
import type { ComponentDescription, PlannedSets } from '../component/component-description.ts';
import type { ObservedComponent } from '../component/observed-component.ts';
import { mainParts } from '../component/main-sets.ts';
import {
  allow,
  denyAll,
  fromAnywhere,
  fromMonitoring,
  labelled,
  toAnywhere,
  toDns,
  toInternet,
} from '../component/network-rules.ts';
import { needsPipelinesPlural, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { keys } from '../installer-set/set-keys.ts';
import { OpenShiftPipelinesAsCode } from '../kinds/kinds.ts';
import { configMapData } from '../transform/config-map-values.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { pipelineRunTemplates } from '../transform/pipeline-run-templates.ts';
import { schedulePods } from '../transform/scheduling.ts';
import { defaultPipelinesAsCode } from '../rules/pipelines-as-code-settings.ts';
import { furtherController } from './further-controller.ts';

/** Pipelines as Code, on every platform in spite of its name. */
export const pipelinesAsCodeComponent: ComponentDescription<OpenShiftPipelinesAsCode> = {
  kind: OpenShiftPipelinesAsCode,
  name: 'pipelines-as-code',
  conditions: [...standardConditions, 'AdditionalPACControllerInstalled'],
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['pipelines-as-code'],
  flat: true,
  versionMap: 'pipelines-as-code-info',
  imagePrefix: 'IMAGE_PAC_',
  createsNamespace: false,
  dependency: needsPipelinesPlural,
  applyDefaults: (spec) => defaultPipelinesAsCode(spec),
  keep: notNamespace,
  steps: ({ spec, images }, extension) => [
    operandLabel('openshift-pipeline-as-code'),
    workloadImages(images, 'Deployment'),
    schedulePods(spec.config),
    configMapData('pipelines-as-code', spec.settings ?? {}),
    ...extension,
  ],
  sets: async (observed, manifest, payload) => [
    { wanted: { ...observed.wanted('main', payload), parts: mainParts(observed.prefix, manifest) } },
    ...furtherSets(observed, manifest, payload),
    ...(await templateSets(observed)),
  ],
  hasFinalizer: false,
  isStale: ({ metadata }, { spec }) => {
    const { [keys.component]: part, [keys.type]: type = '' } = metadata.labels ?? {};
    if (part !== 'AdditionalPACController') return false;
    const wanted = Object.entries(spec.additionalPACControllers ?? {});
    return !wanted.some(([name, { enable }]) => enable !== false && type === `custom-${name.toLowerCase()}`);
  },
  networkPolicies: {
    setName: 'pac-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 9090);
      const out = [toDns(platform), toAnywhere];
      const partOf = { 'app.kubernetes.io/part-of': 'pipelines-as-code' };
      return {
        'pac-default-deny': denyAll(labelled(partOf)),
        'pac-controller': allow(
          labelled({ app: 'pipelines-as-code-controller' }),
          [metrics, fromAnywhere(8082)],
          [...out, toInternet],
        ),
        'pac-watcher': allow(labelled({ app: 'pipelines-as-code-watcher' }), [metrics], [...out, toInternet]),
        'pac-webhook': allow(
          labelled({ 'app.kubernetes.io/component': 'webhook', ...partOf }),
          [fromAnywhere(8443), metrics],
          out,
        ),
      };
    },
  },
};

/** The templates of PipelineRuns, where people of all namespaces find them. */
async function templateSets(observed: ObservedComponent<OpenShiftPipelinesAsCode>): Promise<readonly PlannedSets[]> {
  const { services, namespace, prefix } = observed;
  const templates = await services.payload.extra('pipelines-as-code-templates');
  if (!templates) return [];
  const { objects } = pipelineRunTemplates(templates, services.platform === 'openshift' ? 'openshift' : namespace);
  return [{ wanted: { ...observed.wanted('post'), parts: [{ generateName: `${prefix}-post-`, objects }] } }];
}

/** A set for each further controller; those that are not wanted any more are found by their label. */
function furtherSets(
  observed: ObservedComponent<OpenShiftPipelinesAsCode>,
  manifest: Manifest,
  payload: string,
): readonly PlannedSets[] {
  return Object.entries(observed.spec.additionalPACControllers ?? {})
    .filter(([, controller]) => controller.enable !== false)
    .map(([name, controller]) => {
      const type = `custom-${name.toLowerCase()}`;
      const objects = furtherController(manifest, name, controller).objects;
      return {
        wanted: {
          ...observed.wanted(type, payload),
          labels: { [keys.component]: 'AdditionalPACController' },
          parts: [{ generateName: `${observed.prefix}-${type}-`, objects }],
        },
      };
    });
}

import { formatYaml } from '@tektite/schema/yaml';
import type { ComponentDescription } from '../component/component-description.ts';
import {
  allow,
  denyAll,
  fromAnywhere,
  fromMonitoring,
  labelled,
  toAnywhere,
  toDns,
} from '../component/network-rules.ts';
import { setsWithSettings } from '../component/settings-set.ts';
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { TektonPruner } from '../kinds/kinds.ts';
import { configMapData } from '../transform/config-map-values.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { restrictPods } from '../transform/pod-security.ts';
import { defaultEventPruner } from '../rules/defaults/default-components.ts';

const settings = 'tekton-pruner-default-spec';

/** The pruner that follows runs. Its settings are a separate set. */
export const prunerComponent: ComponentDescription<TektonPruner> = {
  kind: TektonPruner,
  name: 'pruner',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['pruner'],
  versionMap: 'pruner-info',
  imagePrefix: 'IMAGE_PRUNER_',
  createsNamespace: true,
  dependency: needsPipelines,
  applyDefaults: defaultEventPruner,
  keep: notNamespace,
  steps: ({ spec, images }, extension) => [
    operandLabel('pruner'),
    workloadImages(images, 'Deployment'),
    restrictPods('Deployment'),
    configMapData(settings, { 'global-config': formatYaml(spec['global-config']) }),
    ...extension,
  ],
  sets: (observed, manifest, payload) =>
    // Upstream names TektonConfig as the maker, and takeovers depend on it.
    setsWithSettings(observed, manifest, payload, {
      configMap: settings,
      type: 'pruner-config',
      createdBy: 'TektonConfig',
    }),
  networkPolicies: {
    setName: 'pruner-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 9090);
      const out = [toDns(platform), toAnywhere];
      const partOf = { 'app.kubernetes.io/part-of': 'tekton-pruner' };
      return {
        'tekton-pruner-default-deny': denyAll(labelled(partOf)),
        'pruner-controller': allow(labelled({ app: 'tekton-pruner-controller' }), [metrics], out),
        'pruner-webhook': allow(
          labelled({ 'app.kubernetes.io/component': 'webhook', ...partOf }),
          [fromAnywhere(8443), metrics],
          out,
        ),
      };
    },
  },
};

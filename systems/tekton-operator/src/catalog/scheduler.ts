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
import { needsPipelines, standardConditions } from '../component/standard-conditions.ts';
import { TektonScheduler } from '../kinds/kinds.ts';
import { configMapData } from '../transform/config-map-values.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { restrictPods } from '../transform/pod-security.ts';
import { moveCertificates } from '../transform/scheduler-transforms.ts';
import { defaultScheduler } from '../rules/defaults/default-components.ts';

const settings = 'tekton-kueue-config';
const pods = (name: string) => labelled({ 'app.kubernetes.io/name': name, 'control-plane': 'controller-manager' });

/** Queues of runs, by Kueue, which has to be installed beforehand. */
export const schedulerComponent: ComponentDescription<TektonScheduler> = {
  kind: TektonScheduler,
  name: 'scheduler',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['tekton-scheduler'],
  versionMap: 'scheduler-info',
  imagePrefix: 'IMAGE_SCHEDULER_',
  createsNamespace: true,
  dependency: { ...needsPipelines, apis: ['kueue.x-k8s.io/v1beta1'] },
  applyDefaults: defaultScheduler,
  keep: ({ kind, metadata }, { namespace }) => kind !== 'Namespace' && metadata.name !== namespace,
  steps: ({ spec, images, namespace }, extension) => [
    operandLabel('scheduler'),
    workloadImages(images, 'Deployment'),
    restrictPods('Deployment'),
    configMapData(settings, { 'config.yaml': formatYaml(spec['config.yaml']) }),
    moveCertificates(namespace),
    ...extension,
  ],
  sets: (observed, manifest, payload) =>
    setsWithSettings(observed, manifest, payload, { configMap: settings, type: 'scheduler-config' }),
  networkPolicies: {
    setName: 'scheduler-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 8443);
      const out = [toDns(platform), toAnywhere];
      const [controller, webhook] = [pods('tekton-kueue'), pods('tekton-kueue-webhook')];
      return {
        'scheduler-controller-default-deny': denyAll(controller),
        'scheduler-webhook-default-deny': denyAll(webhook),
        'scheduler-controller': allow(controller, [metrics], out),
        'scheduler-webhook': allow(webhook, [fromAnywhere(9443), metrics], out),
      };
    },
  },
};

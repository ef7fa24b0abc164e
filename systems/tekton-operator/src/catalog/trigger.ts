import type { ComponentDescription } from '../component/component-description.ts';
import {
  allow,
  denyAll,
  fromAnywhere,
  fromMonitoring,
  fromNamespaces,
  labelled,
  toAnywhere,
  toDns,
  toInternet,
} from '../component/network-rules.ts';
import { needsPipelinesPlural, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { TektonTrigger } from '../kinds/kinds.ts';
import { triggerTransforms } from '../transform/trigger-transforms.ts';
import { defaultTrigger } from '../rules/defaults/default-components.ts';

/** Tekton Triggers. */
export const triggerComponent: ComponentDescription<TektonTrigger> = {
  kind: TektonTrigger,
  name: 'trigger',
  conditions: standardConditions,
  mainFailed: 'Main Reconciliation failed',
  folders: () => ['tekton-trigger', 'tekton-triggers'],
  versionMap: 'triggers-info',
  imagePrefix: 'IMAGE_TRIGGERS_',
  createsNamespace: false,
  dependency: needsPipelinesPlural,
  applyDefaults: defaultTrigger,
  keep: notNamespace,
  steps: ({ spec, images }, extension) => [...extension, ...triggerTransforms(spec, images)],
  obsoleteTypes: ['trigger'],
  deadlock: { service: 'tekton-triggers-webhook', configuration: 'config.webhook.triggers.tekton.dev' },
  networkPolicies: {
    setName: 'triggers-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 9000);
      const out = [toDns(platform), toAnywhere];
      return {
        'tekton-default-deny': denyAll(labelled({ 'app.kubernetes.io/part-of': 'tekton-triggers' })),
        'triggers-controller': allow(labelled({ app: 'tekton-triggers-controller' }), [metrics], out),
        'triggers-webhook': allow(labelled({ app: 'tekton-triggers-webhook' }), [fromAnywhere(8443), metrics], out),
        'triggers-core-interceptors': allow(
          labelled({ app: 'tekton-triggers-core-interceptors' }),
          [fromNamespaces(8443), metrics],
          [...out, toInternet],
        ),
      };
    },
  },
};

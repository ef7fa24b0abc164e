import type { ComponentDescription } from '../component/component-description.ts';
import { mainParts } from '../component/main-sets.ts';
import {
  allow,
  denyAll,
  fromAnywhere,
  fromMonitoring,
  fromPods,
  labelled,
  toAnywhere,
  toDns,
  toInternet,
  toSsh,
} from '../component/network-rules.ts';
import { notNamespace } from '../component/standard-conditions.ts';
import { TektonPipeline } from '../kinds/kinds.ts';
import { pipelineTransforms } from '../transform/pipeline-transforms.ts';
import { defaultPipeline } from '../rules/defaults/default-pipeline.ts';

const proxyWebhook = labelled({ name: 'tekton-operator-proxy-webhook' });

/** Tekton Pipelines. */
export const pipelineComponent: ComponentDescription<TektonPipeline> = {
  kind: TektonPipeline,
  name: 'pipeline',
  ignored: (expected, got) => `Resource ignored: expected name '${expected}', got '${got}'`,
  conditions: ['PreReconciler', 'InstallerSetAvailable', 'InstallerSetReady', 'PostReconciler'],
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['tekton-pipeline'],
  extras: ({ environment }) => (environment.DISABLE_PROXY_WEBHOOK === 'true' ? [] : ['webhook']),
  versionMap: 'pipelines-info',
  imagePrefix: 'IMAGE_PIPELINES_',
  createsNamespace: true,
  applyDefaults: defaultPipeline,
  keep: notNamespace,
  steps: ({ spec, images }, extension) => [...extension, ...pipelineTransforms(spec, images)],
  sets: (observed, manifest, payload) => [
    {
      wanted: {
        ...observed.wanted('main', payload),
        parts: mainParts(observed.prefix, manifest, observed.spec.performance?.['statefulset-ordinals'] === true),
      },
    },
  ],
  obsoleteTypes: ['pipeline', 'PrePipeline', 'PostPipeline'],
  deadlock: { service: 'tekton-pipelines-webhook', configuration: 'config.webhook.pipeline.tekton.dev' },
  networkPolicies: {
    setName: 'pipeline-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 9090);
      const out = [toDns(platform), toAnywhere];
      return {
        'tekton-proxy-webhook-default-deny': denyAll(proxyWebhook),
        'pipeline-default-deny': denyAll(labelled({ 'app.kubernetes.io/part-of': 'tekton-pipelines' })),
        'proxy-webhook': allow(proxyWebhook, [fromAnywhere(8443)], out),
        'pipeline-controller': allow(labelled({ app: 'tekton-pipelines-controller' }), [metrics], out),
        'pipeline-webhook': allow(labelled({ app: 'tekton-pipelines-webhook' }), [fromAnywhere(8443), metrics], out),
        'pipeline-events-controller': allow(
          labelled({ app: 'tekton-events-controller' }),
          [metrics],
          [...out, toInternet],
        ),
        'pipeline-resolvers': allow(
          labelled({ app: 'tekton-pipelines-resolvers' }),
          [fromPods(8080, 'tekton-pipelines-controller'), metrics],
          [...out, toInternet, toSsh],
        ),
      };
    },
  },
};

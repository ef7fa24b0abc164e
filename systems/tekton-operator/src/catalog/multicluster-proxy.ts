import type { ComponentDescription } from '../component/component-description.ts';
import { allow, denyAll, fromAnywhere, labelled, toAnywhere, toDns } from '../component/network-rules.ts';
import { needsPipelines, standardConditions } from '../component/standard-conditions.ts';
import { TektonMulticlusterProxyAAE } from '../kinds/kinds.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { restrictPods } from '../transform/pod-security.ts';

const pods = labelled({ app: 'proxy-aae' });

/** The way from a hub to its spokes. */
export const multiclusterProxyComponent: ComponentDescription<TektonMulticlusterProxyAAE> = {
  kind: TektonMulticlusterProxyAAE,
  name: 'multicluster-proxy-aae',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['tekton-multicluster-proxy-aae'],
  versionMap: 'multicluster-proxy-aae-info',
  imagePrefix: 'IMAGE_MULTICLUSTERPROXYAAE_',
  createsNamespace: true,
  dependency: needsPipelines,
  applyDefaults: (spec) => spec,
  keep: ({ kind, metadata }, { namespace }) => kind !== 'Namespace' && metadata.name !== namespace,
  steps: ({ images }, extension) => [
    operandLabel('multicluster-proxy-aae'),
    workloadImages(images, 'Deployment'),
    restrictPods('Deployment'),
    ...extension,
  ],
  networkPolicies: {
    setName: 'proxy-aae-network-policies',
    policies: (platform) => ({
      'proxy-aae-default-deny': denyAll(pods),
      'proxy-aae': allow(pods, [fromAnywhere(8080)], [toDns(platform), toAnywhere]),
    }),
  },
};

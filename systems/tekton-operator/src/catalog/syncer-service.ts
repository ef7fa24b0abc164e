import type { ComponentDescription } from '../component/component-description.ts';
import { denyAll, labelled, toAnywhere, toDns } from '../component/network-rules.ts';
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { SyncerService } from '../kinds/kinds.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { restrictPods } from '../transform/pod-security.ts';
import { schedulePods } from '../transform/scheduling.ts';

const pods = labelled({ app: 'workload-controller' });

/** Copies runs between the clusters of a hub. */
export const syncerServiceComponent: ComponentDescription<SyncerService> = {
  kind: SyncerService,
  name: 'syncer-service',
  conditions: standardConditions,
  rawMessages: true,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['syncer-service'],
  versionMap: 'syncer-service-info',
  imagePrefix: 'IMAGE_SYNCER_SERVICE_WORKLOAD_',
  createsNamespace: true,
  dependency: { ...needsPipelines, sameNamespace: true },
  applyDefaults: (spec) => spec,
  keep: notNamespace,
  steps: ({ spec, images }, extension) => [
    operandLabel('syncer-service'),
    workloadImages(images, 'Deployment'),
    restrictPods('Deployment'),
    schedulePods(spec.config),
    ...extension,
  ],
  sets: (observed, manifest, payload) => [
    {
      wanted: {
        ...observed.wanted('syncer-service', payload),
        hash: observed.hash('spec'),
        parts: [{ generateName: 'syncer-service-', objects: manifest.objects }],
      },
    },
  ],
  deletesDefinitions: false,
  networkPolicies: {
    setName: 'syncer-service-network-policies',
    policies: (platform) => ({
      'syncer-service-default-deny': denyAll(pods),
      'syncer-service-controller': {
        podSelector: pods,
        policyTypes: ['Egress'],
        egress: [toDns(platform), toAnywhere],
      },
    }),
  },
};

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
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { ManualApprovalGate } from '../kinds/kinds.ts';
import { workloadImages } from '../transform/images.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { restrictPods } from '../transform/pod-security.ts';

/** Steps that wait for people. Made by users only. */
export const manualApprovalGateComponent: ComponentDescription<ManualApprovalGate> = {
  kind: ManualApprovalGate,
  name: 'manual-approval-gate',
  conditions: standardConditions,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['manual-approval-gate'],
  versionMap: 'manual-approval-gate-info',
  imagePrefix: 'IMAGE_MAG_',
  createsNamespace: true,
  dependency: needsPipelines,
  applyDefaults: (spec) => spec,
  keep: notNamespace,
  steps: ({ images }, extension) => [
    operandLabel('manual-approval-gate'),
    workloadImages(images, 'Deployment'),
    restrictPods('Deployment'),
    ...extension,
  ],
  networkPolicies: {
    setName: 'mag-network-policies',
    policies: (platform) => {
      const metrics = fromMonitoring(platform, 9090);
      const out = [toDns(platform), toAnywhere];
      return {
        'mag-default-deny': denyAll(
          labelled({ 'app.kubernetes.io/part-of': 'openshift-pipelines-manual-approval-gates' }),
        ),
        'mag-controller': allow(labelled({ app: 'tekton-taskgroup-controller' }), [metrics], out),
        'mag-webhook': allow(labelled({ app: 'manual-approval-gate-webhook' }), [fromAnywhere(8443), metrics], out),
      };
    },
  },
};

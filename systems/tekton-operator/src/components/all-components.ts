import type { ControllerDefinition } from '@tektite/controller';
import { componentController } from '../component/component-controller.ts';
import type { OperatorServices } from '../component/operator-services.ts';
import { addonComponent } from './addon.ts';
import { chainComponent } from './chain.ts';
import { dashboardComponent } from './dashboard.ts';
import { manualApprovalGateComponent } from './manual-approval-gate.ts';
import { multiclusterProxyComponent } from './multicluster-proxy.ts';
import { pipelineComponent } from './pipeline.ts';
import { pipelinesAsCodeComponent } from './pipelines-as-code.ts';
import { prunerComponent } from './pruner.ts';
import { resultComponent } from './result.ts';
import { schedulerComponent } from './scheduler.ts';
import { syncerServiceComponent } from './syncer-service.ts';
import { triggerComponent } from './trigger.ts';

/** All components there are. */
export const descriptions: readonly { readonly kind: { readonly kind: string } }[] = [
  pipelineComponent,
  triggerComponent,
  chainComponent,
  resultComponent,
  dashboardComponent,
  prunerComponent,
  schedulerComponent,
  multiclusterProxyComponent,
  manualApprovalGateComponent,
  pipelinesAsCodeComponent,
  addonComponent,
  syncerServiceComponent,
];

/** The controllers of all components that a platform has. */
export function componentControllers(services: OperatorServices): readonly ControllerDefinition[] {
  const openshift = services.platform === 'openshift';
  return [
    componentController(pipelineComponent, services),
    componentController(triggerComponent, services),
    componentController(chainComponent, services),
    componentController(resultComponent, services),
    ...(openshift ? [] : [componentController(dashboardComponent, services)]),
    componentController(prunerComponent, services),
    componentController(schedulerComponent, services),
    componentController(multiclusterProxyComponent, services),
    componentController(manualApprovalGateComponent, services),
    componentController(pipelinesAsCodeComponent, services),
    ...(openshift
      ? [componentController(addonComponent, services), componentController(syncerServiceComponent, services)]
      : []),
  ];
}

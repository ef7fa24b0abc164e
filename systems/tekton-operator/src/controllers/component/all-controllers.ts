import type { ControllerDefinition } from '@tektite/controller';
import { addonComponent } from '../../catalog/addon.ts';
import { chainComponent } from '../../catalog/chain.ts';
import { dashboardComponent } from '../../catalog/dashboard.ts';
import { manualApprovalGateComponent } from '../../catalog/manual-approval-gate.ts';
import { multiclusterProxyComponent } from '../../catalog/multicluster-proxy.ts';
import { pipelineComponent } from '../../catalog/pipeline.ts';
import { pipelinesAsCodeComponent } from '../../catalog/pipelines-as-code.ts';
import { prunerComponent } from '../../catalog/pruner.ts';
import { resultComponent } from '../../catalog/result.ts';
import { schedulerComponent } from '../../catalog/scheduler.ts';
import { syncerServiceComponent } from '../../catalog/syncer-service.ts';
import { triggerComponent } from '../../catalog/trigger.ts';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { componentController } from './controller.ts';

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

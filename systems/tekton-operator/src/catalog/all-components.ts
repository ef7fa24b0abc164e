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

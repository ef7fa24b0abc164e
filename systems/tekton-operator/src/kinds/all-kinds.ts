import type { Kind } from '@tektite/schema';
import {
  ManualApprovalGate,
  OpenShiftPipelinesAsCode,
  SyncerService,
  TektonAddon,
  TektonChain,
  TektonDashboard,
  TektonInstallerSet,
  TektonMulticlusterProxyAAE,
  TektonPipeline,
  TektonPruner,
  TektonResult,
  TektonScheduler,
  TektonTrigger,
} from './kinds.ts';
import { TektonConfig } from './tekton-config.ts';

/** Everything that the operator serves. */
export const allKinds: readonly Kind[] = [
  TektonConfig,
  TektonPipeline,
  TektonTrigger,
  TektonDashboard,
  TektonChain,
  TektonResult,
  TektonAddon,
  TektonPruner,
  TektonScheduler,
  TektonMulticlusterProxyAAE,
  ManualApprovalGate,
  SyncerService,
  OpenShiftPipelinesAsCode,
  TektonInstallerSet,
];

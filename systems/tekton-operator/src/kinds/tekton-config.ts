import { type InferType, type ObjectOf, s } from '@tektite/schema';
import { operatorKind } from './operator-kind.ts';
import { chainFields } from './chain-fields.ts';
import { addonFields, dashboardFields, pipelinesAsCode, schedulerFields, triggerFields } from './component-fields.ts';
import { statusFields } from './component-status.ts';
import { componentColumns, operatorGroup } from './kinds.ts';
import { pipelineFields } from './pipeline-fields.ts';
import { eventPrunerFields, pruner } from './pruner-fields.ts';
import { resultFields } from './result-fields.ts';
import { flag, options, params, placement, text, texts } from './shared-fields.ts';

const platforms = s.object({
  openshift: s
    .object({
      pipelinesAsCode: pipelinesAsCode.optional().inGo('pointer'),
      scc: s.object({ default: text(), maxAllowed: text() }).optional().inGo('pointer'),
      enableCentralTLSConfig: flag(),
    })
    .optional(),
  kubernetes: s.object({ pipelinesAsCode: pipelinesAsCode.optional().inGo('pointer') }).optional(),
});

const spec = s.object({
  ...placement,
  profile: text(),
  pruner: pruner.optional(),
  tektonpruner: s.object(eventPrunerFields).optional(),
  scheduler: s.object(schedulerFields).optional(),
  addon: s.object(addonFields).optional(),
  hub: s.object({ params: params.optional(), options: options.optional() }).optional(),
  pipeline: s.object(pipelineFields).optional(),
  trigger: s.object(triggerFields).optional(),
  chain: s.object(chainFields).optional(),
  result: s.object(resultFields).optional(),
  dashboard: s.object(dashboardFields).optional(),
  multiclusterProxyAAE: s.object({ options: options.optional() }).optional(),
  params: params.optional(),
  platforms: platforms.optional(),
  targetNamespaceMetadata: s.object({ labels: texts(), annotations: texts() }).optional().inGo('pointer'),
});
export type TektonConfigSpec = InferType<typeof spec>;

/** The one resource a user writes: which components there are, and how they are set. */
export const TektonConfig = operatorKind({
  ...operatorGroup,
  kind: 'TektonConfig',
  scope: 'Cluster',
  columns: componentColumns,
  fields: {
    spec: spec.optional(),
    status: s.object({ ...statusFields, version: text(), profile: text(), tektonInstallerSets: texts() }).optional(),
  },
});
export type TektonConfig = ObjectOf<typeof TektonConfig>;

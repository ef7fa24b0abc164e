import { type ObjectOf, s } from '@tektite/schema';
import { operatorKind } from './operator-kind.ts';
import { chainFields } from './chain-fields.ts';
import {
  addonFields,
  dashboardFields,
  pipelinesAsCodeFields,
  schedulerFields,
  triggerFields,
} from './component-fields.ts';
import { statusFields } from './component-status.ts';
import { pipelineFields } from './pipeline-fields.ts';
import { eventPrunerFields } from './pruner-fields.ts';
import { resultFields } from './result-fields.ts';
import { options, placement, text, texts } from './shared-fields.ts';

/** The group of all kinds, and their only version. */
export const operatorGroup = { group: 'operator.tekton.dev', version: 'v1alpha1' } as const;

const ready = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;
export const readyColumns = [
  { name: 'Ready', type: 'string', jsonPath: ready('status') },
  { name: 'Reason', type: 'string', jsonPath: ready('message') },
] as const;
export const componentColumns = [
  { name: 'Version', type: 'string', jsonPath: '.status.version' },
  ...readyColumns,
] as const;

const common = { ...operatorGroup, scope: 'Cluster', columns: componentColumns } as const;
const status = { ...statusFields, version: text() };
const withSet = s.object({ ...status, tektonInstallerSet: text() }).optional();
const { targetNamespace, config, networkPolicy } = placement;

export const TektonPipeline = operatorKind({
  ...common,
  kind: 'TektonPipeline',
  fields: {
    spec: s.object({ targetNamespace, ...pipelineFields, config, networkPolicy }).optional(),
    status: s.object({ ...status, tektonInstallerSet: text(), extTektonInstallerSets: texts() }).optional(),
  },
});
export type TektonPipeline = ObjectOf<typeof TektonPipeline>;

export const TektonTrigger = operatorKind({
  ...common,
  kind: 'TektonTrigger',
  fields: { spec: s.object({ targetNamespace, ...triggerFields, config, networkPolicy }).optional(), status: withSet },
});
export type TektonTrigger = ObjectOf<typeof TektonTrigger>;

export const TektonDashboard = operatorKind({
  ...common,
  kind: 'TektonDashboard',
  fields: { spec: s.object({ targetNamespace, ...dashboardFields, config }).optional(), status: withSet },
});
export type TektonDashboard = ObjectOf<typeof TektonDashboard>;

export const TektonChain = operatorKind({
  ...common,
  kind: 'TektonChain',
  fields: { spec: s.object({ targetNamespace, ...chainFields, config, networkPolicy }).optional(), status: withSet },
});
export type TektonChain = ObjectOf<typeof TektonChain>;

export const TektonResult = operatorKind({
  ...common,
  kind: 'TektonResult',
  fields: { spec: s.object({ targetNamespace, ...resultFields, config, networkPolicy }).optional(), status: withSet },
});
export type TektonResult = ObjectOf<typeof TektonResult>;

export const TektonAddon = operatorKind({
  ...common,
  kind: 'TektonAddon',
  fields: {
    spec: s.object({ targetNamespace, ...addonFields, config }).optional(),
    status: s.object({ ...status, installerSets: texts() }).optional(),
  },
});
export type TektonAddon = ObjectOf<typeof TektonAddon>;

export const TektonPruner = operatorKind({
  ...common,
  kind: 'TektonPruner',
  fields: {
    spec: s.object({ targetNamespace, ...eventPrunerFields, config, networkPolicy }).optional(),
    status: withSet,
  },
});
export type TektonPruner = ObjectOf<typeof TektonPruner>;

export const TektonScheduler = operatorKind({
  ...common,
  kind: 'TektonScheduler',
  fields: {
    spec: s.object({ targetNamespace, ...schedulerFields, networkPolicy }).optional(),
    status: s.object({ ...status, 'tekton-scheduler': text() }).optional(),
  },
});
export type TektonScheduler = ObjectOf<typeof TektonScheduler>;

export const TektonMulticlusterProxyAAE = operatorKind({
  ...common,
  kind: 'TektonMulticlusterProxyAAE',
  fields: {
    spec: s.object({ targetNamespace, options: options.optional(), networkPolicy }).optional(),
    status: withSet,
  },
});
export type TektonMulticlusterProxyAAE = ObjectOf<typeof TektonMulticlusterProxyAAE>;

export const ManualApprovalGate = operatorKind({
  ...common,
  kind: 'ManualApprovalGate',
  shortNames: ['mag'],
  fields: {
    spec: s.object({ targetNamespace, options: options.optional(), networkPolicy }).optional(),
    status: withSet,
  },
});
export type ManualApprovalGate = ObjectOf<typeof ManualApprovalGate>;

export const SyncerService = operatorKind({
  ...common,
  kind: 'SyncerService',
  fields: {
    spec: s.object({ targetNamespace, options: options.optional(), config, networkPolicy }).optional(),
    status: s.object({ ...status, syncerServiceInstallerSet: text() }).optional(),
  },
});
export type SyncerService = ObjectOf<typeof SyncerService>;

export const OpenShiftPipelinesAsCode = operatorKind({
  ...common,
  kind: 'OpenShiftPipelinesAsCode',
  shortNames: ['opac', 'pac'],
  fields: {
    spec: s.object({ targetNamespace, config, ...pipelinesAsCodeFields, networkPolicy }).optional(),
    status: s.object(status).optional(),
  },
});
export type OpenShiftPipelinesAsCode = ObjectOf<typeof OpenShiftPipelinesAsCode>;

/** Objects that belong together, installed in order and watched. Made by components, not by users. */
export const TektonInstallerSet = operatorKind({
  ...common,
  kind: 'TektonInstallerSet',
  columns: readyColumns,
  fields: {
    spec: s
      .object({
        manifests: s.raw<readonly ManifestObject[]>({ 'x-kubernetes-preserve-unknown-fields': true }).optional(),
      })
      .optional(),
    status: s.object(statusFields).optional(),
  },
});
export type TektonInstallerSet = ObjectOf<typeof TektonInstallerSet>;

/** An object in a set. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

import type { GoForm } from './go-form.ts';

const plain: GoForm = {};
const performance: GoForm = { always: { 'disable-ha': false } };
const networkPolicy: GoForm = { flags: ['disabled'] };

const pipeline: GoForm = { structs: { performance, options: plain } };
const trigger: GoForm = { structs: { options: plain }, always: { disabled: false } };
const dashboard: GoForm = { structs: { options: plain }, always: { readonly: false } };
const chain: GoForm = {
  structs: { performance, options: plain },
  always: { disabled: false },
  flags: ['generateSigningSecret'],
  texts: ['artifacts.taskrun.storage', 'artifacts.pipelinerun.storage', 'artifacts.oci.storage'],
};
const result: GoForm = {
  structs: {
    performance,
    options: plain,
    watcher: { texts: ['summary_labels', 'summary_annotations', 'label_selector'] },
  },
  always: { disabled: false, is_external_db: false },
  flags: ['logging_plugin_tls_verification_disable'],
};
const eventPruner: GoForm = { structs: { options: plain } };
const scheduler: GoForm = {
  structs: { options: plain, 'config.yaml': { structs: { cel: plain }, flags: ['multiKueueOverride'] } },
  always: { 'multi-cluster-disabled': false, 'multi-cluster-role': '' },
};
const pipelinesAsCode: GoForm = { structs: { options: plain } };

const component = ({ structs, ...form }: GoForm, more: Readonly<Record<string, GoForm>>): GoForm => ({
  ...form,
  structs: { ...structs, ...more },
});

/** The forms of specs, by kind. */
export const goForms = {
  TektonPipeline: component(pipeline, { config: plain, networkPolicy }),
  TektonTrigger: component(trigger, { config: plain, networkPolicy }),
  TektonDashboard: component(dashboard, { config: plain }),
  TektonChain: component(chain, { config: plain, networkPolicy }),
  TektonResult: component(result, { config: plain, networkPolicy }),
  TektonAddon: { structs: { config: plain } },
  TektonPruner: component(eventPruner, { config: plain, networkPolicy }),
  TektonScheduler: component(scheduler, { networkPolicy }),
  TektonMulticlusterProxyAAE: { structs: { options: plain, networkPolicy } },
  ManualApprovalGate: { structs: { options: plain, networkPolicy } },
  SyncerService: { structs: { options: plain, config: plain, networkPolicy } },
  OpenShiftPipelinesAsCode: component(pipelinesAsCode, { config: plain, networkPolicy }),
  TektonConfig: {
    structs: {
      config: plain,
      pruner: { always: { disabled: false }, flags: ['prune-per-resource'] },
      tektonpruner: eventPruner,
      scheduler,
      addon: plain,
      hub: { structs: { options: plain } },
      pipeline,
      trigger,
      chain,
      result,
      dashboard,
      multiclusterProxyAAE: { structs: { options: plain } },
      platforms: {
        structs: {
          openshift: { pointers: { pipelinesAsCode, scc: plain } },
          kubernetes: { pointers: { pipelinesAsCode } },
        },
      },
      networkPolicy,
    },
    pointers: { targetNamespaceMetadata: plain },
  },
} satisfies Readonly<Record<string, GoForm>>;

import { controllerReference, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { keys } from '../installer-set/set-keys.ts';
import {
  OpenShiftPipelinesAsCode,
  SyncerService,
  TektonAddon,
  TektonChain,
  TektonDashboard,
  TektonMulticlusterProxyAAE,
  TektonPipeline,
  TektonPruner,
  TektonResult,
  TektonScheduler,
  TektonTrigger,
} from '../kinds/kinds.ts';
import type { TektonConfig, TektonConfigSpec } from '../kinds/tekton-config.ts';
import type { Platform } from '../platform/platform.ts';
import type { ComponentChoices } from './component-choice.ts';
import { isHub } from './component-choice.ts';
import { readOperatorParams } from '../rules/operator-params.ts';

/** A component that a TektonConfig makes. */
export interface ConfiguredComponent {
  readonly kind: Kind;
  readonly name: string;
  /** In the choices; Pipelines has none. */
  readonly choice?: keyof ComponentChoices;
  /** Its name in messages. */
  readonly component: string;
  /** Its spec, from the TektonConfig's. */
  spec(config: TektonConfigSpec, platform: Platform): Readonly<Record<string, unknown>>;
  /** Fields of its spec that the TektonConfig does not manage. */
  readonly unmanaged?: readonly string[];
  /** Upstream's Dashboard has no label with the version. */
  readonly unlabelled?: boolean;
  /** Whether it is updated when the platform changes. */
  readonly platformData?: boolean;
  /** The prefix of its message while it is not ready. */
  readonly words?: string;
}

const common = ({ targetNamespace, config, networkPolicy }: TektonConfigSpec) => ({
  targetNamespace,
  config: config ?? {},
  networkPolicy: networkPolicy ?? {},
});

export const pipelineObject: ConfiguredComponent = {
  kind: TektonPipeline,
  name: 'pipeline',
  component: 'pipeline',
  platformData: true,
  spec: (config) => ({ ...config.pipeline, ...common(config) }),
};

/** All but Pipelines, in the order in which they are looked after. */
export const componentObjects = {
  eventPruner: {
    kind: TektonPruner,
    name: 'pruner',
    component: 'pruner',
    platformData: true,
    spec: (config) => ({ ...config.tektonpruner, ...common(config) }),
  },
  multiclusterProxy: {
    kind: TektonMulticlusterProxyAAE,
    name: 'multicluster-proxy-aae',
    component: 'multicluster-proxy-aae',
    spec: ({ multiclusterProxyAAE, targetNamespace, networkPolicy = {} }) => ({
      options: multiclusterProxyAAE?.options ?? {},
      targetNamespace,
      networkPolicy,
    }),
  },
  scheduler: {
    kind: TektonScheduler,
    name: 'scheduler',
    component: 'scheduler',
    spec: ({ scheduler, targetNamespace, networkPolicy = {} }) => ({
      ...scheduler,
      'config.yaml': { ...scheduler?.['config.yaml'], ...(isHub(scheduler) ? { multiKueueOverride: true } : {}) },
      targetNamespace,
      networkPolicy,
    }),
  },
  trigger: {
    kind: TektonTrigger,
    name: 'trigger',
    component: 'trigger',
    platformData: true,
    spec: (config) => ({ ...config.trigger, ...common(config) }),
  },
  chain: {
    kind: TektonChain,
    name: 'chain',
    component: 'chain',
    spec: (config) => ({ ...config.chain, ...common(config) }),
  },
  result: {
    kind: TektonResult,
    name: 'result',
    component: 'result',
    platformData: true,
    unmanaged: ['disabled'],
    spec: (config) => ({ ...config.result, ...hubOptions(config), ...common(config) }),
  },
  syncerService: {
    kind: SyncerService,
    name: 'syncer-service',
    component: 'syncer-service',
    unmanaged: ['options'],
    spec: common,
  },
  dashboard: {
    kind: TektonDashboard,
    name: 'dashboard',
    component: 'dashboard',
    unlabelled: true,
    spec: ({ dashboard, targetNamespace, config = {} }) => ({ ...dashboard, targetNamespace, config }),
  },
  addon: {
    kind: TektonAddon,
    name: 'addon',
    component: 'addon',
    spec: ({ addon, targetNamespace, config = {} }) => ({ ...addon, targetNamespace, config }),
  },
  pipelinesAsCode: {
    kind: OpenShiftPipelinesAsCode,
    name: 'pipelines-as-code',
    component: 'pipelines-as-code',
    platformData: true,
    spec: (config, platform) => {
      const { enable: _enable, ...block } = config.platforms?.[platform]?.pipelinesAsCode ?? {};
      return { ...block, ...common(config) };
    },
  },
} satisfies Readonly<Record<keyof ComponentChoices, ConfiguredComponent>>;

/** On a hub nothing runs whose results could be stored. */
function hubOptions({ scheduler, result }: TektonConfigSpec): object {
  if (!isHub(scheduler)) return {};
  const none = { spec: { replicas: 0 } };
  const { options = {} } = result ?? {};
  return {
    options: {
      ...options,
      deployments: {
        ...options.deployments,
        'tekton-results-watcher': none,
        'tekton-results-retention-policy-agent': none,
      },
    },
  };
}

/** The component as the TektonConfig wants it. */
export function componentObject(
  { kind, name, component, unlabelled, platformData: hasPlatformData, spec }: ConfiguredComponent,
  config: TektonConfig,
  settings: TektonConfigSpec,
  how: { readonly version: string; readonly platform: Platform; readonly platformData: string },
): KubeObject & { readonly spec: Readonly<Record<string, unknown>> } {
  const { strategy, rollback, versions } = readOperatorParams(settings.params);
  const pinned = Object.hasOwn(versions, component) ? versions[component] : undefined;
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name,
      ...(unlabelled ? {} : { labels: { [keys.releaseVersion]: how.version } }),
      annotations: {
        ...(hasPlatformData && how.platformData ? { [keys.platformDataHash]: how.platformData } : {}),
        ...(strategy === 'rolling' ? { [keys.strategy]: strategy } : {}),
        ...(rollback ? { [keys.rollback]: 'true' } : {}),
        ...(pinned ? { [keys.pinnedVersion]: pinned } : {}),
      },
      ownerReferences: [controllerReference(config)],
    },
    spec: spec(settings, how.platform),
  };
}

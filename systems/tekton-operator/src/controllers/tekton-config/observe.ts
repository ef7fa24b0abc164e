import type { ReconcileContext } from '@tektite/controller';
import type { ComponentObject } from '../../component/component-object.ts';
import { hasApi } from '../../component/has-api.ts';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { InstallerSets } from '../../installer-set/installer-sets.ts';
import type { TektonConfig, TektonConfigSpec } from '../../kinds/tekton-config.ts';
import { type ComponentChoices, chooseComponents } from '../../profile/component-choice.ts';
import type { ConfiguredComponent } from '../../profile/component-objects.ts';
import { defaultTektonConfig } from '../../rules/defaults/default-tekton-config.ts';
import { configSources } from './config-sources.ts';

/** A component of a TektonConfig. Pipelines is no choice: it is always installed. */
export type ChosenComponent = ConfiguredComponent & { readonly choice?: keyof ComponentChoices };

/** A TektonConfig as one reconcile observes it. */
export interface ObservedConfig {
  readonly config: TektonConfig;
  /** The spec with its defaults. */
  readonly spec: TektonConfigSpec;
  /** The target namespace. */
  readonly namespace: string;
  readonly choices: ComponentChoices;
  readonly sets: InstallerSets;
  readonly services: OperatorServices;
  readonly context: ReconcileContext;
  /** The object of a component in the cluster, also one that this operator did not create. */
  liveOf(component: ChosenComponent): ComponentObject | undefined;
}

const schedulerNeeds = [
  ['cert-manager', 'cert-manager.io/v1'],
  ['kueue', 'kueue.x-k8s.io/v1beta1'],
] as const;

/** The message for the first API that the scheduler lacks. Discovery is asked only where the scheduler was chosen. */
export async function observeSchedulerNeeds({ choices, context }: ObservedConfig): Promise<string | undefined> {
  if (choices.scheduler !== 'wanted') return undefined;
  for (const [name, api] of schedulerNeeds)
    if (!(await hasApi(context.client, api)))
      return `Please install ${name} (${api}) First, the scheduler cannot run without it`;
  return undefined;
}

export function observeConfig(
  config: TektonConfig,
  services: OperatorServices,
  context: ReconcileContext,
): ObservedConfig {
  const spec = defaultTektonConfig(config.spec ?? {}, services.platform);
  return {
    config,
    spec,
    namespace: spec.targetNamespace ?? '',
    choices: chooseComponents(spec, services.platform),
    sets: new InstallerSets(context.client, config, () => context.cache(configSources.allSets).list()),
    services,
    context,
    liveOf({ name, choice }) {
      const source = choice ? configSources.components[choice] : configSources.pipeline;
      return context.cache(source).get(name) as ComponentObject | undefined;
    },
  };
}

import type { ReconcileContext } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { ComponentConditions } from '../component/component-conditions.ts';
import type { ComponentObject } from '../component/component-description.ts';
import type { OperatorServices } from '../component/operator-services.ts';
import type { ExtensionContext } from '../extension/extension.ts';
import { InstallerSets } from '../installer-set/installer-sets.ts';
import type { TektonConfig, TektonConfigSpec } from '../kinds/tekton-config.ts';
import { defaultTektonConfig } from '../webhooks/default-tekton-config.ts';
import { type ComponentChoices, chooseComponents } from './component-choice.ts';
import { componentObject, type ConfiguredComponent } from './component-objects.ts';
import { configConditions } from './config-conditions.ts';
import { configSources } from './config-sources.ts';
import { ensureComponent, removeComponent, type NotReadyReason } from './ensure-component.ts';

/** One reconcile of a TektonConfig. */
export class ConfigReconcile {
  readonly config: TektonConfig;
  readonly services: OperatorServices;
  readonly context: ReconcileContext;
  /** With everything that was left out. */
  readonly spec: TektonConfigSpec;
  readonly choices: ComponentChoices;
  readonly conditions: ComponentConditions;
  readonly sets: InstallerSets;

  constructor(config: TektonConfig, services: OperatorServices, context: ReconcileContext, now: string) {
    this.config = config;
    this.services = services;
    this.context = context;
    this.spec = defaultTektonConfig(config.spec ?? {}, services.platform);
    this.choices = chooseComponents(this.spec, services.platform);
    this.conditions = new ComponentConditions(configConditions, config.status?.conditions, now);
    this.sets = new InstallerSets(context.client, config, () => context.cache(configSources.allSets).list());
  }

  get namespace(): string {
    return this.spec.targetNamespace ?? '';
  }

  /** The existing component, whatever created it. */
  live({
    name,
    choice,
  }: {
    readonly name: string;
    readonly choice?: keyof ComponentChoices;
  }): ComponentObject | undefined {
    const source = choice ? configSources.components[choice] : configSources.pipeline;
    return this.context.cache(source).get(name) as ComponentObject | undefined;
  }

  ensure(component: ConfiguredComponent & { readonly choice?: keyof ComponentChoices }): Promise<NotReadyReason> {
    const { version, platform, extension } = this.services;
    const platformData = extension.config?.platformData?.(this.services) ?? '';
    const wanted = componentObject(component, this.config, this.spec, { version, platform, platformData });
    const { client } = this.context;
    return ensureComponent(client, component.kind, this.live(component), wanted, component.unmanaged);
  }

  remove(component: ConfiguredComponent & { readonly choice?: keyof ComponentChoices }): Promise<NotReadyReason> {
    return removeComponent(this.context.client, component.kind, this.live(component));
  }

  /** The context of a platform extension. */
  extensionContext(): ExtensionContext<TektonConfig> {
    const { context, config, services, sets, namespace } = this;
    return {
      client: context.client,
      component: config as TektonConfig & KubeObject,
      namespace,
      services,
      context,
      sets,
      ensureSet: (type, manifest) =>
        sets.ensure({
          createdBy: 'TektonConfig',
          type,
          targetNamespace: namespace,
          version: services.version,
          parts: [{ generateName: `config-${type}-`, objects: manifest.objects }],
        }),
      removeSet: async (type) => void (await sets.remove('TektonConfig', type)),
    };
  }
}

import { ignoreNotFound, mergePatch } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Namespace } from '@tektite/schema/kubernetes';
import type { ExtensionContext } from '../../extension/extension.ts';
import type { SetsState } from '../../installer-set/installer-sets.ts';
import { keys } from '../../installer-set/set-keys.ts';
import { ensurePrunerSet, reconcilePruner } from '../../job-pruner/classic-pruner.ts';
import { TektonConfig } from '../../kinds/tekton-config.ts';
import type { ComponentChoices } from '../../profile/component-choice.ts';
import { componentObject, componentObjects } from '../../profile/component-objects.ts';
import { configSources } from './config-sources.ts';
import { decideComponent, reconcileAgain } from './decide.ts';
import type { ChosenComponent, ObservedConfig } from './observe.ts';

/** Creates or updates a component. Returns why it is not ready; undefined for a ready one. */
export async function ensureComponent(
  observed: ObservedConfig,
  component: ChosenComponent,
): Promise<string | undefined> {
  const { config, spec, services, context } = observed;
  const { version, platform, extension } = services;
  const platformData = extension.config?.platformData?.(services) ?? '';
  const desired = componentObject(component, config, spec, { version, platform, platformData });
  const decision = decideComponent(observed.liveOf(component), desired, component.unmanaged);
  if (!decision) return undefined;
  if ('unready' in decision) return decision.unready;
  if ('create' in decision) await context.client.create(component.kind, decision.create as never);
  else await context.client.update(component.kind, decision.update as never);
  return reconcileAgain;
}

/** Deletes a component. Returns a message until it is deleted. */
export async function removeComponent(
  observed: ObservedConfig,
  component: ChosenComponent,
): Promise<string | undefined> {
  const live = observed.liveOf(component);
  if (!live) return undefined;
  if (!live.metadata.deletionTimestamp)
    await observed.context.client.delete(component.kind, { name: live.metadata.name ?? '' }).catch(ignoreNotFound);
  return reconcileAgain;
}

/** Creates, updates or deletes a component, as it was chosen. Returns why it is not as chosen yet. */
export async function ensureChoice(
  observed: ObservedConfig,
  choice: keyof ComponentChoices,
): Promise<string | undefined> {
  const component: ChosenComponent = { ...componentObjects[choice], choice };
  if (observed.choices[choice] === 'wanted') return ensureComponent(observed, component);
  return observed.choices[choice] === 'unwanted' ? removeComponent(observed, component) : undefined;
}

/** Ensures the account of the pruning Jobs, and then their CronJobs. */
export async function ensurePruner(observed: ObservedConfig): Promise<SetsState> {
  const { services, context, spec, config, sets } = observed;
  const state = await ensurePrunerSet(sets, spec, services);
  if (state.state !== 'ready') return state;
  const namespaces = context.cache(configSources.namespaces).list() as readonly Namespace[];
  try {
    await reconcilePruner(context.client, config, spec, namespaces, services);
  } catch (error) {
    context.signal.throwIfAborted();
    return { state: 'notReady', message: (error as Error).message };
  }
  return state;
}

/** Writes the label with the version of the operator. */
export async function labelVersion({ context, services }: ObservedConfig): Promise<void> {
  const patch = mergePatch({ metadata: { labels: { [keys.releaseVersion]: services.version } } });
  await context.client.patch(TektonConfig, { name: 'config' }, patch);
}

/** The context of the platform's own part of a reconcile. */
export function extensionContext(observed: ObservedConfig): ExtensionContext<TektonConfig> {
  const { context, config, services, sets, namespace } = observed;
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

import { ignoreNotFound } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { ExtensionContext } from '../../extension/extension.ts';
import type { TektonConfig } from '../../kinds/tekton-config.ts';
import { componentObject } from '../../profile/component-objects.ts';
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

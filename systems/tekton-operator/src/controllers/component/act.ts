import type { ComponentDescription, PlannedSets } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import { networkPolicySet } from '../../component/network-policy-set.ts';
import type { ObservedComponent } from '../../component/observed-component.ts';
import type { ExtensionContext } from '../../extension/extension.ts';
import type { Progress } from '../../extension/progress.ts';
import type { SetsState } from '../../installer-set/installer-sets.ts';
import type { EnsuredSets } from './decide.ts';

/** Deletes sets that earlier operators created, and sets that the component no longer wants. */
export async function deleteObsoleteSets<T extends ComponentObject>(
  { obsoleteTypes = [], isStale }: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<void> {
  const { sets, kind } = observed;
  if (obsoleteTypes.length > 0) await sets.remove(kind, ...obsoleteTypes);
  await sets.deleteAll(sets.of(kind).filter((set) => isStale?.(set, observed) ?? false));
}

/** Runs the part of the platform that comes before the sets, and creates what they need. Throws for what is missing. */
export async function prepare<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<Progress> {
  const { services, context, kind } = observed;
  const extension = services.extension.components?.[kind];
  if ((await extension?.preReconcile?.(extensionContext(observed))) === 'later') return 'later';
  const missing = await description.prepare?.(observed, context.client);
  if (missing !== undefined) throw new Error(missing);
  return 'done';
}

/** Ensures all sets before it waits for any: Pods of one may need a Secret of another. */
export async function ensureSets<T extends ComponentObject>(
  { sets }: ObservedComponent<T>,
  planned: readonly PlannedSets[],
): Promise<EnsuredSets> {
  let isWaiting = false;
  let failure: string | undefined;
  let absent: string | undefined;
  const result = () => ({
    isWaiting,
    ...(failure === undefined ? {} : { failure }),
    ...(absent === undefined ? {} : { missing: absent }),
  });
  for (const { wanted, missing, decides = true } of planned) {
    const state = await sets.ensure(wanted);
    if (state.state === 'waiting' && state.replacing)
      return { replacing: state.replacing, isWaiting: true, ...(absent === undefined ? {} : { missing: absent }) };
    if (state.state === 'waiting' && missing && sets.of(wanted.createdBy, wanted.type).length === 0) absent = missing;
    if (state.state === 'waiting') isWaiting = true;
    if (state.state === 'notReady' && decides) failure ??= state.message;
  }
  return result();
}

/** Ensures the set with the network policies of a component, or deletes it where they are disabled. */
export async function ensureNetworkPolicies<T extends ComponentObject>(
  { networkPolicies }: ComponentDescription<T>,
  observed: ObservedComponent<T>,
): Promise<SetsState> {
  const { sets, kind, spec } = observed;
  if (!networkPolicies) return { state: 'ready' };
  const type = `custom-${networkPolicies.setName}`;
  if (!spec.networkPolicy?.disabled) return sets.ensure(networkPolicySet(observed, networkPolicies, type));
  await sets.remove(kind, type);
  return { state: 'ready' };
}

/** The context of the platform's own part of a reconcile. */
export function extensionContext<T extends ComponentObject>(observed: ObservedComponent<T>): ExtensionContext {
  const { component, context, services, sets, namespace } = observed;
  return {
    client: context.client,
    component,
    namespace,
    services,
    context,
    sets,
    ensureSet: (type, manifest) =>
      sets.ensure({
        ...observed.wanted(type),
        parts: [{ generateName: `${observed.prefix}-${type}-`, objects: manifest.objects }],
      }),
    removeSet: async (type) => void (await sets.remove(observed.kind, type)),
  };
}

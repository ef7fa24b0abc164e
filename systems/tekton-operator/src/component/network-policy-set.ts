import type { DynamicObject } from '@tektite/meta';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import type { ComponentDescription } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedComponent } from './observed-component.ts';

/** The set with a component's network policies: its own, and the user's over them, by name. */
export function networkPolicySet<T extends ComponentObject>(
  observed: ObservedComponent<T>,
  { setName, policies }: NonNullable<ComponentDescription<T>['networkPolicies']>,
  type: string,
): WantedSets {
  const specs = new Map<string, unknown>(Object.entries(policies(observed.services.platform, observed.spec)));
  for (const [name, spec] of Object.entries(observed.spec.networkPolicy?.policies ?? {})) specs.set(name, spec);
  const objects: DynamicObject[] = [...specs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name, namespace: observed.namespace },
      spec,
    }));
  return { ...observed.wanted(type), parts: [{ generateName: `${observed.prefix}-custom-${setName}-`, objects }] };
}

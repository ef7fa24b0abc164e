import type { DynamicObject } from '@tektite/meta';
import type { WantedSets } from '../installer-set/wanted-sets.ts';
import type { ComponentDescription, ComponentObject } from './component-description.ts';
import type { ComponentReconcile } from './component-reconcile.ts';

/** The set with a component's network policies: its own, and the user's over them, by name. */
export function networkPolicySet<T extends ComponentObject>(
  run: ComponentReconcile<T>,
  { setName, policies }: NonNullable<ComponentDescription<T>['networkPolicies']>,
  type: string,
): WantedSets {
  const specs = new Map<string, unknown>(Object.entries(policies(run.services.platform, run.spec)));
  for (const [name, spec] of Object.entries(run.spec.networkPolicy?.policies ?? {})) specs.set(name, spec);
  const objects: DynamicObject[] = [...specs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name, namespace: run.namespace },
      spec,
    }));
  return { ...run.wanted(type), parts: [{ generateName: `${run.prefix}-custom-${setName}-`, objects }] };
}

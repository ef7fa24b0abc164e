import type { Manifest } from '@tektite/manifest';
import type { ComponentDescription, PlannedSets } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import { mainParts } from './main-sets.ts';
import type { ObservedComponent } from './observed-component.ts';

/** The installer sets that a component is to have, for its release. Throws a manifest problem. */
export async function planSets<T extends ComponentObject>(
  description: ComponentDescription<T>,
  observed: ObservedComponent<T>,
  release: Manifest,
  payload: string,
): Promise<readonly PlannedSets[]> {
  const { keep } = description;
  const manifest = observed.transform(keep ? release.filter((object) => keep(object, observed)) : release);
  return (
    (await description.sets?.(observed, manifest, payload)) ?? [
      { wanted: { ...observed.wanted('main', payload), parts: mainParts(observed.prefix, manifest) } },
    ]
  );
}

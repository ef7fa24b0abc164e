import type { Manifest } from '@tektite/manifest';
import type { PlannedSets } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedComponent } from './observed-component.ts';
import { mainParts } from './main-sets.ts';

/** A ConfigMap in a separate set. */
export interface SettingsSet {
  readonly configMap: string;
  /** The type of the set. */
  readonly type: string;
  /** The creator according to upstream. */
  readonly createdBy?: string;
}

/** The sets of a component whose settings are a separate set, recreated when its spec changes; nothing waits for it. */
export function setsWithSettings<T extends ComponentObject>(
  observed: ObservedComponent<T>,
  manifest: Manifest,
  payload: string,
  { configMap, type, createdBy = observed.kind }: SettingsSet,
): readonly PlannedSets[] {
  const isSettings = ({ kind, metadata }: Manifest['objects'][number]) =>
    kind === 'ConfigMap' && metadata.name === configMap;
  const others = manifest.filter((object) => !isSettings(object));
  return [
    {
      wanted: {
        ...observed.wanted(type, payload),
        createdBy,
        hash: observed.hash('spec'),
        onChange: 'recreate',
        parts: [{ generateName: `${type}-`, objects: manifest.objects.filter(isSettings) }],
      },
      decides: false,
    },
    { wanted: { ...observed.wanted('main', payload), parts: mainParts(observed.prefix, others) } },
  ];
}

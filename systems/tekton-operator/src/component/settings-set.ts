import type { Manifest } from '@tektite/manifest';
import type { ComponentObject, PlannedSets } from './component-description.ts';
import type { ComponentReconcile } from './component-reconcile.ts';
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
  run: ComponentReconcile<T>,
  manifest: Manifest,
  payload: string,
  { configMap, type, createdBy = run.kind }: SettingsSet,
): readonly PlannedSets[] {
  const isSettings = ({ kind, metadata }: Manifest['objects'][number]) =>
    kind === 'ConfigMap' && metadata.name === configMap;
  const others = manifest.filter((object) => !isSettings(object));
  return [
    {
      wanted: {
        ...run.wanted(type, payload),
        createdBy,
        hash: run.hash('spec'),
        onChange: 'recreate',
        parts: [{ generateName: `${type}-`, objects: manifest.objects.filter(isSettings) }],
      },
      decides: false,
    },
    { wanted: { ...run.wanted('main', payload), parts: mainParts(run.prefix, others) } },
  ];
}

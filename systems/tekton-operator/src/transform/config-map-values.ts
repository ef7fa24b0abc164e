import type { Transform } from '@tektite/manifest';

type Values = Readonly<Record<string, unknown>>;

/** Writes values into the data of a ConfigMap; those that are absent change nothing. */
export function configMapData(name: string, values: Readonly<Record<string, string | undefined>>): Transform {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return function configMapData(draft) {
    if (draft.kind !== 'ConfigMap' || draft.metadata.name !== name || entries.length === 0) return;
    const map = draft as { data?: Readonly<Record<string, string>> };
    map.data = Object.fromEntries([...Object.entries(map.data ?? {}), ...entries]);
  };
}

/** These settings as a ConfigMap has them: all are texts, and an empty one says nothing unless it is named as such. */
export function settingTexts(
  settings: Values,
  keys: readonly string[],
  emptyTexts: readonly string[] = [],
): Readonly<Record<string, string>> {
  const texts: [string, string][] = [];
  for (const key of keys) {
    const value = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (typeof value === 'string' && (value !== '' || emptyTexts.includes(key))) texts.push([key, value]);
    else if (typeof value === 'boolean') texts.push([key, String(value)]);
    else if (typeof value === 'number') texts.push([key, Number.isInteger(value) ? String(value) : value.toFixed(6)]);
  }
  return Object.fromEntries(texts);
}

import { compareGoStrings } from '@tektite/go';

/** Whether a mistake refuses the request or is only told, as a warning. */
export type MistakeLevel = 'error' | 'warning';

/** One thing that is wrong, in one or several places. */
export interface FieldMistake {
  readonly level: MistakeLevel;
  readonly message: string;
  readonly paths: readonly string[];
  /** A longer explanation, or empty. */
  readonly details: string;
}

/**
 * Puts mistakes with the same level, message and details together and sorts what is left by message, then details; paths are
 * sorted too. Paths that one mistake names twice stay double, those that two name do not: upstream's way.
 */
export function mergeMistakes(mistakes: readonly FieldMistake[]): readonly FieldMistake[] {
  const merged = new Map<
    string,
    { readonly mistake: FieldMistake; readonly paths: string[]; readonly seen: Set<string> }
  >();
  for (const mistake of mistakes) {
    if (mistake.message === '') continue;
    const key = `${mistake.level}-${mistake.message}-${mistake.details}`;
    const known = merged.get(key);
    // What the first of them names twice stays so, as upstream has it.
    if (!known) merged.set(key, { mistake, paths: [...mistake.paths], seen: new Set(mistake.paths) });
    for (const path of known ? mistake.paths : []) {
      if (known?.seen.has(path)) continue;
      known?.seen.add(path);
      known?.paths.push(path);
    }
  }
  return [...merged.values()]
    .map(({ mistake, paths }) => ({ ...mistake, paths: paths.sort(compareGoStrings) }))
    .sort(compareMistakes);
}

function compareMistakes(a: FieldMistake, b: FieldMistake): number {
  return (
    compareGoStrings(a.message, b.message) ||
    compareGoStrings(a.details, b.details) ||
    (a.level === b.level ? 0 : a.level === 'error' ? -1 : 1)
  );
}

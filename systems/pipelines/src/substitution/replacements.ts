/** The values of variables, by their names without `$(` and `)`. */
export interface Replacements {
  readonly strings: ReadonlyMap<string, string>;
  readonly arrays: ReadonlyMap<string, readonly string[]>;
  readonly objects: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Collects what variables stand for. What is set later wins. */
export class ReplacementSet implements Replacements {
  readonly strings = new Map<string, string>();
  readonly arrays = new Map<string, readonly string[]>();
  readonly objects = new Map<string, Readonly<Record<string, string>>>();

  addAll({ strings, arrays, objects }: Replacements): this {
    for (const [name, value] of strings) this.strings.set(name, value);
    for (const [name, value] of arrays) this.arrays.set(name, value);
    for (const [name, value] of objects) this.objects.set(name, value);
    return this;
  }
}

/** Only texts. */
export function stringReplacements(entries: Iterable<readonly [string, string]>): Replacements {
  return { strings: new Map(entries), arrays: new Map(), objects: new Map() };
}

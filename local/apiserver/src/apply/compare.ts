import type { JsonSchema } from '@tektite/schema';
import { type Atom, atomOf, untypedSchema } from './atom.ts';
import { emptySet, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldElement, sameValue } from './path-element.ts';

/** The differences of two objects, by path. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects of a schema. The order of elements in sets and list-maps does not count. */
export function compare(schema: JsonSchema, before: unknown, after: unknown): Comparison {
  const walk = new Comparer();
  walk.visit(schema, before, after, []);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

class Comparer {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();

  /** `undefined` means absent; `null` is a value. */
  visit(schema: JsonSchema, before: unknown, after: unknown, path: string[]): void {
    if (before === after) return;
    if (before === undefined && path.length > 0) return this.added.insert(path, wholeSet(schema, after));
    if (after === undefined && path.length > 0) return this.removed.insert(path, wholeSet(schema, before));
    const atom = atomOf(schema, after, before);
    if (atom.form === 'leaf' || (isEmpty(before) && isEmpty(after)) || !fits(atom, before) || !fits(atom, after)) {
      if (before === undefined) this.added.insert(path);
      else if (after === undefined) this.removed.insert(path);
      else if (!sameValue(before, after)) this.modified.insert(path);
      return;
    }
    if (atom.form === 'map') this.visitMap(atom, before as Fields, after as Fields, path);
    else this.visitList(atom, before as readonly unknown[], after as readonly unknown[], path);
  }

  private visitMap(atom: Extract<Atom, { form: 'map' }>, before: Fields, after: Fields, path: string[]): void {
    for (const name in before) this.visitField(atom, name, before[name], own(after, name), path);
    for (const name in after)
      if (own(before, name) === undefined) this.visitField(atom, name, undefined, after[name], path);
  }

  private visitField(
    atom: Extract<Atom, { form: 'map' }>,
    name: string,
    before: unknown,
    after: unknown,
    path: string[],
  ): void {
    if (before === after) return;
    path.push(fieldElement(name));
    this.visit(atom.field(name) ?? untypedSchema, before, after, path);
    path.pop();
  }

  private visitList(
    atom: Extract<Atom, { form: 'list' }>,
    before: readonly unknown[],
    after: readonly unknown[],
    path: string[],
  ): void {
    const left = group(atom, before);
    const right = group(atom, after);
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const old = left.get(element);
      const young = right.get(element);
      path.push(element);
      // Duplicates have no identity to compare by: the element counts as changed when any of them did.
      if ((old?.length ?? 0) > 1 || (young?.length ?? 0) > 1) {
        if (!old) this.added.insert(path);
        else if (!young) this.removed.insert(path);
        else if (!sameValue(old, young)) this.modified.insert(path);
      } else if (!old || !young || old[0] !== young[0]) {
        this.visit(atom.items, old?.[0], young?.[0], path);
      }
      path.pop();
    }
  }
}

/** A value that only one side has: it and all below it are members. Nearly all of a new object is such. */
function wholeSet(schema: JsonSchema, value: unknown): FieldSet {
  const atom = atomOf(schema, value);
  if (atom.form === 'leaf' || isEmpty(value) || !fits(atom, value)) return emptySet;
  const set: Record<string, FieldSet> = { '.': emptySet };
  if (atom.form === 'map') {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name in fields)
      if (fields[name] !== undefined)
        set[fieldElement(name)] = wholeSet(atom.field(name) ?? untypedSchema, fields[name]);
  } else
    for (const item of value as readonly unknown[]) {
      const element = atom.elementOf(item);
      set[element] = element in set ? emptySet : wholeSet(atom.items, item);
    }
  return set;
}

type Fields = Readonly<Record<string, unknown>> | undefined;

/** A map may have entries named like what every object inherits. */
function own(fields: Fields | null, name: string): unknown {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function group(
  atom: Extract<Atom, { form: 'list' }>,
  list: readonly unknown[] | undefined | null,
): Map<string, unknown[]> {
  const result = new Map<string, unknown[]>();
  for (const item of list ?? []) {
    const element = atom.elementOf(item);
    const same = result.get(element);
    if (same) same.push(item);
    else result.set(element, [item]);
  }
  return result;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  for (const _ in value as object) return false;
  return true;
}

/** Whether a side can be walked as the atom asks: it is absent, null, or of that form. */
function fits(atom: Atom, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Array.isArray(value) === (atom.form === 'list');
}

/**
 * A set of field paths in the form that `managedFields` has on the wire (FieldsV1), so that nothing is decoded or encoded.
 *
 * Keys are path elements: `f:name` (a field), `k:{...}` (an element of a list-map, by its keys), `v:...` (an element of a
 * set, by its value), `i:0` (by index). A child is a member of the set when it is `{}` or holds the key `.`.
 */
export interface FieldSet {
  readonly [pathElement: string]: FieldSet;
}

type MutableFieldSet = { [pathElement: string]: FieldSet };

/** The empty set; also, as a child, the mark of a member without children. */
export const emptySet: FieldSet = Object.freeze({});

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path that leads to this node is itself in the set. The root never is. */
export function isMember(node: FieldSet): boolean {
  return '.' in node || isEmptySet(node);
}

/**
 * Joins what a node holds below with whether it is a member itself. `undefined` when neither: the node does not exist.
 */
function node(children: FieldSet, member: boolean): FieldSet | undefined {
  if (isEmptySet(children)) return member ? emptySet : undefined;
  return member ? { '.': emptySet, ...children } : children;
}

export function unionSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldSet;
    const right = b[key];
    result[key] = right
      ? (node(unionSets(below(left), below(right)), isMember(left) || isMember(right)) as FieldSet)
      : left;
  }
  for (const key in b) if (key !== '.' && !(key in result)) result[key] = b[key] as FieldSet;
  return result;
}

export function intersectSets(a: FieldSet, b: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in a) {
    const left = a[key] as FieldSet;
    const right = b[key];
    if (key === '.' || !right) continue;
    const both = node(intersectSets(left, right), isMember(left) && isMember(right));
    if (both) result[key] = both;
  }
  return result;
}

/** The members of `a` that are not members of `b`; what lies below a removed member stays. */
export function subtractSets(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldSet;
    const right = b[key];
    const rest = right ? node(subtractSets(below(left), below(right)), isMember(left) && !isMember(right)) : left;
    if (rest) result[key] = rest;
  }
  return result;
}

/** Like {@link subtractSets}, but a member of `b` takes everything below it along. */
export function subtractTrees(a: FieldSet, b: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldSet;
    const right = b[key];
    if (!right) result[key] = left;
    else if (!isMember(right)) {
      const rest = node(subtractTrees(below(left), right), isMember(left));
      if (rest) result[key] = rest;
    }
  }
  return result;
}

/** The children of a node without its own membership. */
function below(set: FieldSet): FieldSet {
  if (!('.' in set)) return set;
  const { '.': _, ...children } = set;
  return children;
}

/** The set with every named field on the way to a member made a member too; elements of lists are left as they are. */
export function withNamedFields(set: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const key in set) {
    if (key === '.') continue;
    const child = set[key] as FieldSet;
    result[key] = node(withNamedFields(below(child)), isMember(child) || key.startsWith('f:')) as FieldSet;
  }
  return result;
}

/** Whether the path is a member. */
export function hasMember(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.[element];
  return at !== undefined && isMember(at);
}

/** Every member, as the list of path elements that leads to it. */
export function* membersOf(set: FieldSet, path: readonly string[] = []): Generator<readonly string[]> {
  const keys = Object.keys(set)
    .filter((key) => key !== '.')
    .sort();
  for (const key of keys) if (isMember(set[key] as FieldSet)) yield [...path, key];
  for (const key of keys) yield* membersOf(set[key] as FieldSet, [...path, key]);
}

/** A set with one member at each path. */
export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>(
    (set, path) =>
      unionSets(
        set,
        path.reduceRight<FieldSet>((child, key) => ({ [key]: child }), emptySet),
      ),
    emptySet,
  );
}

interface TreeNode {
  member: boolean;
  /** Most have none. */
  children: Map<string, TreeNode> | undefined;
  /** Everything here and below, cached. */
  whole: FieldSet | undefined;
}

/** Collects members while a walk goes on; cheaper than a union per path. */
export class FieldSetBuilder {
  private readonly root: TreeNode = { member: false, children: undefined, whole: undefined };

  /** Adds the path of the given elements. With `whole`, also all that it has below it. */
  insert(path: readonly string[], whole?: FieldSet): void {
    let at = this.root;
    for (const key of path) {
      const children: Map<string, TreeNode> = (at.children ??= new Map());
      let next = children.get(key);
      if (!next) children.set(key, (next = { member: false, children: undefined, whole: undefined }));
      at = next;
    }
    at.member = true;
    at.whole = whole;
  }

  build(): FieldSet {
    return toSet(this.root);
  }
}

function toSet({ member, children, whole }: TreeNode): FieldSet {
  if (whole) return whole;
  if (!children) return emptySet;
  const set: MutableFieldSet = {};
  if (member) set['.'] = emptySet;
  for (const [key, child] of children) set[key] = toSet(child);
  return set;
}

const kinds = 'fkvi';

/** The set with its path elements in the order in which upstream writes them: clients compare it as text. The same set where it is so already. */
export function orderedSet(set: FieldSet): FieldSet {
  const keys = Object.keys(set);
  let isOrdered = true;
  const children: FieldSet[] = [];
  for (const [index, key] of keys.entries()) {
    const child = set[key] as FieldSet;
    const ordered = orderedSet(child);
    children.push(ordered);
    if (ordered !== child || (index > 0 && compareElements(keys[index - 1] as string, key) > 0)) isOrdered = false;
  }
  if (isOrdered) return set;
  const result: MutableFieldSet = {};
  const order = [...keys.keys()].sort((a, b) => compareElements(keys[a] as string, keys[b] as string));
  for (const index of order) result[keys[index] as string] = children[index] as FieldSet;
  return result;
}

/** The member itself comes first, then fields, elements by key, values and positions. */
function compareElements(a: string, b: string): number {
  if (a === '.' || b === '.') return a === b ? 0 : a === '.' ? -1 : 1;
  if (a[0] !== b[0]) return kinds.indexOf(a[0] as string) - kinds.indexOf(b[0] as string);
  if (a.startsWith('i:')) return Number(a.slice(2)) - Number(b.slice(2));
  return a < b ? -1 : a > b ? 1 : 0;
}

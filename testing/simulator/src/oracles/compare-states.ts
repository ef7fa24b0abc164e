import type { FinalState } from './final-state.ts';

/** Fields that may differ: `Deployment default/a status.replicas` and everything below. */
export type Mask = ReadonlySet<string>;

/** Whether a scenario leaves a field out of the comparison. `kind` is the object's, `path` has dots and `*` for list items. */
export type Ignore = (kind: string, path: string) => boolean;

/** The fields in which fault-free runs of different seeds differ. These depend on chance, not on faults. */
export function maskOf(states: readonly FinalState[]): Mask {
  const [first, ...others] = states;
  const mask = new Set<string>();
  for (const other of others) for (const { place } of differences(first ?? new Map(), other)) mask.add(place);
  return mask;
}

/** The differences between two states, one line each. */
export function compareStates(
  expected: FinalState,
  actual: FinalState,
  mask: Mask = new Set(),
  ignore: Ignore = () => false,
): readonly string[] {
  return differences(expected, actual)
    .filter(({ place, kind, path }) => !isMasked(place, mask) && !ignore(kind, path))
    .map(({ place, before, after }) => `${place}: ${brief(after)}, but ${brief(before)} without faults`);
}

interface Difference {
  readonly place: string;
  readonly kind: string;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function differences(expected: FinalState, actual: FinalState): readonly Difference[] {
  const found: Difference[] = [];
  for (const identity of new Set([...expected.keys(), ...actual.keys()])) {
    const [before = [], after = []] = [expected.get(identity), actual.get(identity)];
    const kind = identity.split(' ')[0] ?? '';
    if (before.length !== after.length) {
      found.push({
        place: identity,
        kind,
        path: '',
        before: `${before.length} objects`,
        after: `${after.length} objects`,
      });
      continue;
    }
    for (const [object, counterpart] of pairs(before, after))
      walk(object, counterpart, '', (path, old, now) =>
        found.push({ place: `${identity} ${path}`, kind, path, before: old, after: now }),
      );
  }
  return found;
}

/** Objects whose names are generated have no identity: each is compared with the one that differs least. */
function pairs(before: readonly unknown[], after: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  const left = [...after];
  return before.map((object) => {
    const distances = left.map((candidate) => {
      let distance = 0;
      walk(object, candidate, '', () => distance++);
      return distance;
    });
    const [nearest] = left.splice(distances.indexOf(Math.min(...distances)), 1);
    return [object, nearest] as const;
  });
}

function walk(
  before: unknown,
  after: unknown,
  path: string,
  report: (path: string, before: unknown, after: unknown) => void,
): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) walk(item, after[index], `${path}.*`, report);
    return;
  }
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      walk(before[key], after[key], path === '' ? key : `${path}.${key}`, report);
    return;
  }
  if (JSON.stringify(before) !== JSON.stringify(after)) report(path, before, after);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMasked(place: string, mask: Mask): boolean {
  for (let end = place.length; end > 0; end = place.lastIndexOf('.', end - 1))
    if (mask.has(place.slice(0, end))) return true;
  return false;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 160 ? `${text.slice(0, 157)}…` : text;
}

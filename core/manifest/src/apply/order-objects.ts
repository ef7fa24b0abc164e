import type { KubeObject } from '@tektite/meta';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, identityText, type ObjectReference } from '../object-identity.ts';
import { phaseNumber, phases } from './phase.ts';

/** `of` is applied after `on`, and deleted before it. */
export interface Dependency {
  readonly of: ObjectReference;
  readonly on: ObjectReference;
}

export interface OrderOptions {
  /** Default `phases`. `file`: one after the other, as they stand. */
  readonly order?: 'phases' | 'file';
  readonly dependencies?: readonly Dependency[];
}

/** Objects that are applied together, before those of the next step. */
export interface Step<T> {
  readonly name: string;
  readonly entries: readonly T[];
}

/** The steps of an installation. Within a step the order of the manifest is kept. */
export function orderObjects<T extends { readonly object: KubeObject }>(
  entries: readonly T[],
  options: OrderOptions = {},
): readonly Step<T>[] {
  if (options.order === 'file')
    return entries.map((entry) => ({ name: describeObject(entry.object), entries: [entry] }));
  const ranks = ranksOf(entries, options.dependencies ?? []);
  const byRank = new Map<number, T[]>();
  entries.forEach((entry, index) => {
    const rank = ranks[index] as number;
    const step = byRank.get(rank);
    if (step) step.push(entry);
    else byRank.set(rank, [entry]);
  });
  return [...byRank.keys()]
    .sort((a, b) => a - b)
    .map((rank) => ({ name: phases[Math.floor(rank) - 1]?.name ?? '', entries: byRank.get(rank) as T[] }));
}

/** A dependent comes a little later than what it depends on, and no sooner than its own phase. */
const aLittle = 1e-6;

function ranksOf(entries: readonly { readonly object: KubeObject }[], dependencies: readonly Dependency[]): number[] {
  const base = entries.map(({ object }) => phaseNumber(object));
  if (dependencies.length === 0) return base;
  const indexOf = new Map(entries.map(({ object }, index) => [identityText(object), index]));
  const needs = new Map<number, number[]>();
  for (const { of, on } of dependencies) {
    const from = indexOf.get(identityText(of));
    const to = indexOf.get(identityText(on));
    if (from !== undefined && to !== undefined) needs.set(from, [...(needs.get(from) ?? []), to]);
  }
  const ranks: (number | undefined)[] = entries.map(() => undefined);
  const path: number[] = [];
  const visit = (index: number): number => {
    const known = ranks[index];
    if (known !== undefined) return known;
    if (path.includes(index)) throw cycle(path.slice(path.indexOf(index)), entries);
    path.push(index);
    let rank = base[index] as number;
    for (const other of needs.get(index) ?? []) rank = Math.max(rank, visit(other) + aLittle);
    path.pop();
    ranks[index] = rank;
    return rank;
  };
  return entries.map((_, index) => visit(index));
}

function cycle(path: readonly number[], entries: readonly { readonly object: KubeObject }[]): ManifestError {
  const names = path.map((index) => describeObject((entries[index] as { object: KubeObject }).object));
  return new ManifestError('CYCLE', `objects wait for each other: ${[...names, names[0]].join(' → ')}`, {
    details: { objects: names },
  });
}

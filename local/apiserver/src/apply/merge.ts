import { setOwn } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { type Atom, atomOf, untypedSchema } from './atom.ts';

/**
 * Merges an applied configuration into the live object: what the configuration says wins, what it is silent about
 * stays. Elements of list-maps and sets are matched by key; the order is that of the configuration, with the live
 * object's other elements where they stood between.
 */
export function merge(schema: JsonSchema, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined || live === null) return config;
  const atom = atomOf(schema, config, live);
  // A null is a map or list without content, which adds nothing. What was applied before is pruned later.
  if (config === null) return atom.form === 'leaf' ? null : live;
  if (atom.form === 'map' && isObject(live) && isObject(config)) return mergeMaps(atom, live, config);
  if (atom.form === 'list' && Array.isArray(live) && Array.isArray(config)) return mergeLists(atom, live, config);
  return config;
}

function mergeMaps(atom: Extract<Atom, { form: 'map' }>, live: Fields, config: Fields): Fields {
  const result: Record<string, unknown> = {};
  for (const name in live)
    setOwn(result, name, merge(atom.field(name) ?? untypedSchema, live[name], own(config, name)));
  for (const name in config) if (own(live, name) === undefined) setOwn(result, name, config[name]);
  return result;
}

function mergeLists(
  atom: Extract<Atom, { form: 'list' }>,
  live: readonly unknown[],
  config: readonly unknown[],
): readonly unknown[] {
  const wanted = new Map<string, unknown>();
  for (const item of config) wanted.set(atom.elementOf(item), item);
  const existing = live.map((item) => [atom.elementOf(item), item] as const);
  const found = new Map(existing);
  // Elements that both sides have come in the order of the configuration; a live-only element keeps its place relative
  // to the shared ones around it.
  const shared = [...wanted.keys()].filter((element) => found.has(element));
  const result: unknown[] = [];
  const done = new Set<string>();
  let next = 0;
  const take = (element: string) => {
    done.add(element);
    if (shared[next] === element) next++;
    result.push(merge(atom.items, found.get(element), wanted.get(element)));
  };
  const order = [...wanted.keys()];
  let left = 0;
  let right = 0;
  while (left < existing.length || right < order.length) {
    const here = existing[left];
    const there = order[right];
    if (here && there !== undefined) {
      if (here[0] === there) {
        take(there);
        left++;
        right++;
        continue;
      }
      if (wanted.has(here[0]) && shared[next] !== undefined && shared[next] !== here[0]) {
        left++;
        continue;
      }
    }
    if (here) {
      if (!wanted.has(here[0])) {
        result.push(here[1]);
        left++;
        continue;
      }
      if (done.has(here[0])) left++;
    }
    if (there !== undefined) {
      if (!done.has(there)) take(there);
      right++;
    }
  }
  return result;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

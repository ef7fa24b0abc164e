import { ListValue, MapValue, OpaqueValue, Optional, type Value } from './value.ts';

/** The cost of one traversal of a string, per character. */
export const traversalFactor = 0.1;
/** The cost of applying a regular expression to one unit of text, per character. */
export const regexFactor = 0.25;

/** The size of a value as far as costs go: characters, bytes, elements; one for all else. */
export function costSize(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Optional) return value.value === undefined ? 1 : costSize(value.value);
  return value instanceof OpaqueValue ? value.costSize : 1;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xdc00 && code < 0xe000) count--;
  }
  return count;
}

const traversal = (value: Value | undefined, times = 1): number =>
  Math.ceil(costSize(value ?? null) * times * traversalFactor);

/** The cost of visiting everything in a value. */
function treeCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(new TextEncoder().encode(value).length * traversalFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor);
  let cost = 0;
  if (value instanceof ListValue) for (const item of value) cost += treeCost(item);
  else if (value instanceof MapValue)
    for (const key of value.keys()) cost += treeCost(key) + treeCost(value.find(key) ?? null);
  else cost = 1;
  return cost;
}

const searchCost = (text: Value | undefined, pattern: Value | undefined): number =>
  Math.ceil((1 + costSize(text ?? null)) * traversalFactor) * Math.ceil(costSize(pattern ?? null) * regexFactor);

type CallCost = (args: readonly Value[], result: Value, overload: string) => number;

const unit: CallCost = () => 1;
const once: CallCost = ([first]) => traversal(first);
const twice: CallCost = ([first]) => traversal(first, 2);
const tree: CallCost = ([first]) => treeCost(first ?? null);
const shorter: CallCost = ([a, b]) => Math.ceil(Math.min(costSize(a ?? null), costSize(b ?? null)) * traversalFactor);

/** A call that makes a list: what it does for each element, and the list itself. */
const listCall = (size: number, factor = 1): number => Math.floor(size * Math.max(factor, 0)) + 11;
const madeList: CallCost = (_, result) => listCall(costSize(result));

/** Sorting and finding duplicates are counted as if every element were compared with every other. */
function comparedList(list: Value | undefined): number {
  if (!(list instanceof ListValue) || list.size === 0) return listCall(0);
  const first = list.at(0);
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return listCall(list.size * list.size, isText ? 2 + traversalFactor : 2);
}

const setCall =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + costSize(a ?? null) * costSize(b ?? null) * factor;

/** Costs of Kubernetes' own functions, by name. */
const costByName = new Map<string, CallCost>([
  ['check', () => 350_000],
  ['fieldSelector', ([, selector]) => selectorCost(costSize(selector ?? null))],
  ['labelSelector', ([, selector]) => selectorCost(costSize(selector ?? null))],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes'].map((name) => [name, tree] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'].map(
    (name) => [name, once] as const,
  ),
  ...['replace', 'split'].map((name) => [name, twice] as const),
  ['join', (_, result) => traversal(result, 2)],
  ['slice', madeList],
  ['lists.range', madeList],
  ['reverse', madeList],
  ['flatten', ([list, depth]) => listCall(costSize(list ?? null), depth === undefined ? 1 : Number(depth as bigint))],
  ['sort', ([list]) => comparedList(list)],
  ['distinct', ([list]) => comparedList(list)],
  ['@sortByAssociatedKeys', ([, keys]) => comparedList(keys)],
  ['sets.contains', setCall(1)],
  ['sets.intersects', setCall(1)],
  ['sets.equivalent', setCall(2)],
  ['find', ([text, pattern]) => searchCost(text, pattern)],
  ['findAll', ([text, pattern]) => searchCost(text, pattern)],
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name) => [name, once] as const),
  ['ip', (args, result, id) => (id === 'cidr_ip' ? 1 : once(args, result, id))],
  ['ip.isCanonical', twice],
  ['containsIP', ([cidr, other], _, id) => traversal(cidr, 2) + (id.endsWith('string') ? traversal(other) : 0)],
  [
    'containsCIDR',
    ([cidr, other], _, id) => traversal(cidr, 2) + traversal(cidr) + 1 + (id.endsWith('string') ? traversal(other) : 0),
  ],
  ['validate', ([, text]) => Math.ceil((1 + costSize(text ?? null)) * traversalFactor) * Math.ceil(128 * regexFactor)],
]);

/** Costs of functions of the language, by overload. */
const costByOverload = new Map<string, CallCost>([
  ['starts_with_string', ([, other]) => traversal(other)],
  ['ends_with_string', ([, other]) => traversal(other)],
  ['string_to_bytes', once],
  ['bytes_to_string', once],
  ['strings_quote', once],
  ['string_format', once],
  ['in_list', ([, list]) => costSize(list ?? null)],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) =>
    ['string', 'bytes'].map((type) => [`${name}_${type}`, shorter] as const),
  ),
  ['equals', ([a, b]) => (a instanceof OpaqueValue ? 1 : shorter([a ?? null, b ?? null], null, ''))],
  ['not_equals', shorter],
  ['add_string', ([a, b]) => Math.ceil((costSize(a ?? null) + costSize(b ?? null)) * traversalFactor)],
  ['add_bytes', ([a, b]) => Math.ceil((costSize(a ?? null) + costSize(b ?? null)) * traversalFactor)],
  ['matches', ([text, pattern]) => searchCost(text, pattern)],
  ['matches_string', ([text, pattern]) => searchCost(text, pattern)],
  ['contains_string', ([text, part]) => traversal(text) * traversal(part)],
]);

function selectorCost(length: number): number {
  return 10 + Math.ceil(length * traversalFactor) + Math.ceil(length * 0.5) * 50;
}

/** The cost of a call whose arguments and result are known. */
export function callCost(name: string, overload: string): CallCost {
  return costByName.get(name) ?? costByOverload.get(overload) ?? unit;
}

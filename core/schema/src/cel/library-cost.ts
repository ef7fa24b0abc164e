import type { CallEstimate, Operand, SizeAt } from './call-estimate.ts';
import { add, fixed, multiply, type Range, scale, sum, unknownSize, unlimited } from './cost-range.ts';
import { regexFactor, traversalFactor } from './language/runtime-cost.ts';

const nominal = new Set([
  'serviceAccount',
  'path',
  'group',
  'resource',
  'subresource',
  'namespace',
  'name',
  'allowed',
  'reason',
  'error',
  'errored',
  'masked',
  'prefixLength',
  'family',
  'isUnspecified',
  'isLoopback',
  'isLinkLocalMulticast',
  'isLinkLocalUnicast',
  'isGlobalUnicast',
  'format.named',
  'sign',
  'asInteger',
  'isInteger',
  'asApproximateFloat',
  'isGreaterThan',
  'isLessThan',
  'compareTo',
  'add',
  'sub',
  'major',
  'minor',
  'patch',
  'getScheme',
  'getHostname',
  'getHost',
  'getPort',
  'getEscapedPath',
  'getQuery',
]);
const overList = new Set(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf']);
const readsText = new Set(['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver']);

/** The cost of Kubernetes' functions; `undefined` for all others. */
export function libraryCost(
  name: string,
  id: string,
  target: Operand | undefined,
  args: readonly Operand[],
  sizeAt: SizeAt,
): CallEstimate | undefined {
  const sizeOf = (operand: Operand | undefined): Range =>
    operand?.size ?? (operand && operand.path.length > 0 ? sizeAt(operand.path) : undefined) ?? unknownSize;
  const [first, second] = args;
  const traverse = (operand: Operand | undefined, factor = traversalFactor) => scale(sizeOf(operand), factor);
  if (name === 'check') return { cost: fixed(350_000) };
  if (name === 'fieldSelector' || name === 'labelSelector') return { cost: selectorCost(sizeOf(first)) };
  if (nominal.has(name) || id === 'cidr_ip') return { cost: fixed(1) };
  if (overList.has(name)) return target && { cost: listCost(target, sizeOf) };
  if (readsText.has(name)) return { cost: traverse(first) };
  switch (name) {
    case 'url':
      return { cost: traverse(first), resultSize: sizeOf(first) };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { cost: traverse(target), resultSize: sizeOf(target) };
    case 'replace':
      return (
        target && {
          cost: traverse(target, 2 * traversalFactor),
          resultSize: replacedSize(sizeOf(target), sizeOf(first), sizeOf(second)),
        }
      );
    case 'split': {
      const limit =
        typeof second?.literal === 'bigint' ? Number(BigInt.asUintN(64, second.literal)) : sizeOf(target).max;
      return target && { cost: traverse(target, 2 * traversalFactor), resultSize: { min: 0, max: limit } };
    }
    case 'join': {
      const size = target && joinedSize(target, first, sizeOf);
      return size && { cost: scale(size, traversalFactor), resultSize: size };
    }
    case 'find':
    case 'findAll': {
      const text = scale(add(sizeOf(target), fixed(1)), traversalFactor);
      const cost = multiply(text, scale(sizeOf(first), regexFactor));
      return target && { cost, resultSize: { min: 0, max: sizeOf(target).max } };
    }
    case 'ip.isCanonical':
      return { cost: traverse(first, 2 * traversalFactor) };
    case 'containsIP':
      return { cost: add(addressCost, id.endsWith('string') ? traverse(first) : fixed(0)) };
    case 'containsCIDR':
      return {
        cost: sum(
          addressCost,
          scale(addressSize, traversalFactor),
          fixed(1),
          id.endsWith('string') ? traverse(first) : fixed(0),
        ),
      };
    case 'validate':
      return { cost: scale(traverse(first), 128 * regexFactor) };
    case 'slice': {
      const [start, end] = [literalSize(first, 0), literalSize(second, sizeOf(target).max)];
      return target && listCall(fixed(Math.max(0, end - start)));
    }
    case 'lists.range':
      return listCall(fixed(literalSize(first, unlimited)));
    case 'reverse':
      return target && listCall(sizeOf(target));
    case 'flatten':
      return target && listCall(sizeOf(target), first ? literalSize(first, unlimited) : 1);
    case 'distinct':
      return target && listCall(multiply(sizeOf(target), sizeOf(target)), 2);
    case 'sort':
      return target && listCall(multiply(sizeOf(target), sizeOf(target)), comparisonFactor(id));
    case '@sortByAssociatedKeys':
      return listCall(multiply(sizeOf(first), sizeOf(first)), comparisonFactor(id));
    case 'sets.contains':
    case 'sets.intersects':
      return { cost: add(multiply(sizeOf(first), sizeOf(second)), fixed(1)) };
    case 'sets.equivalent':
      return { cost: add(scale(multiply(sizeOf(first), sizeOf(second)), 2), fixed(1)) };
    case '_==_':
      return equalityCost(first, second);
    default:
      return undefined;
  }
}

/** A call that makes a list of that size. */
function listCall(size: Range, factor = 1): CallEstimate {
  return { cost: add(scale(size, factor), fixed(11)), resultSize: size };
}

/** Texts cost a little more to compare. */
const comparisonFactor = (id: string): number => (/_(string|bytes)_/.test(id) ? 2 + traversalFactor : 2);

function literalSize(operand: Operand | undefined, otherwise: number): number {
  return typeof operand?.literal === 'bigint' ? Math.max(0, Number(operand.literal)) : otherwise;
}

const addressSize: Range = { min: 4, max: 16 };
const addressCost: Range = scale(add(addressSize, addressSize), traversalFactor);

function selectorCost(length: Range): Range {
  return sum(fixed(10), scale(length, traversalFactor), scale(scale(length, 0.5), 50));
}

type SizeOf = (operand: Operand | undefined) => Range;

function elementOf({ type, path }: Operand): Operand | undefined {
  const element = type.params[0];
  return element && { type: element, path: path.length > 0 ? [...path, '@items'] : [], size: undefined };
}

function listCost(target: Operand, sizeOf: SizeOf): Range {
  const element = elementOf(target);
  if (!element) return scale(sizeOf(target), traversalFactor);
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = isText ? add(fixed(1), scale(sizeOf(element), traversalFactor)) : fixed(1);
  return multiply(sizeOf(target), each);
}

function joinedSize(target: Operand, separator: Operand | undefined, sizeOf: SizeOf): Range {
  const list = sizeOf(target);
  const element = elementOf(target);
  const text = element ? multiply(list, sizeOf(element)) : fixed(0);
  if (!separator) return text;
  return add(text, multiply(sizeOf(separator), { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }));
}

/** The size of a text in which parts are replaced: between the best and the worst that can happen. */
function replacedSize(size: Range, old: Range, replacement: Range): Range {
  const count = { min: 0, max: 0 };
  const retained = { min: 0, max: 0 };
  if (old.min === 0) [count.max, retained.max] = [Math.min(size.max + 1, unlimited), size.max];
  else if (replacement.max <= old.min) retained.max = size.max;
  else count.max = Math.ceil(size.max / old.min);
  if (old.max === 0) [count.min, retained.min] = [Math.min(size.min + 1, unlimited), size.min];
  else if (old.max <= replacement.min) retained.min = size.min;
  else count.min = Math.ceil(size.min / old.max);
  return add(multiply(count, replacement), retained);
}

function equalityCost(left: Operand | undefined, right: Operand | undefined): CallEstimate | undefined {
  if (!left || !right || left.type.name !== right.type.name) return undefined;
  const { kind, name } = left.type;
  if (kind === 'opaque' && (name === 'net.IP' || name === 'net.CIDR')) return { cost: fixed(1) };
  if (kind !== 'struct' || !name.startsWith('kubernetes.')) return undefined;
  if (name === 'kubernetes.NamedFormat') return { cost: scale({ min: 1, max: 64 }, traversalFactor) };
  if (name === 'kubernetes.URL') return { cost: scale({ min: 1, max: right.size?.max ?? 1 }, traversalFactor) };
  return { cost: fixed(1) };
}

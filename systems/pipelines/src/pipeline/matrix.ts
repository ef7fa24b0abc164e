import type { Param } from '../kinds/param.ts';
import type { Matrix, PipelineTask } from '../kinds/pipeline-spec.ts';

type Combination = Map<string, string>;

const asText = ({ value }: Param): string => (typeof value === 'string' ? value : '');
const asList = ({ value }: Param): readonly string[] => (Array.isArray(value) ? (value as readonly string[]) : []);

/** Whether a task is run once for each combination of values. */
export function isMatrixed({ matrix }: PipelineTask): boolean {
  return (matrix?.params?.length ?? 0) > 0 || (matrix?.include?.length ?? 0) > 0;
}

/**
 * The parameters of each run of a matrix. The values of the last parameter change slowest; an include adds its parameters to all
 * combinations that it does not contradict, and is one more if it has nothing in common with any.
 */
export function fanOut({ params = [], include = [] }: Matrix): readonly (readonly Param[])[] {
  const includes = include.map((each) => new Map((each.params ?? []).map((param) => [param.name, asText(param)])));
  if (params.length === 0) return includes.map(toParams);
  let combinations: Combination[] = [];
  for (const param of params) combinations = distribute(combinations, param);
  for (const combination of combinations)
    for (const each of includes) if (!contradicts(combination, each)) for (const [k, v] of each) combination.set(k, v);
  for (const each of includes) if (isNew(combinations, each)) combinations.push(each);
  return combinations.map(toParams);
}

function distribute(combinations: readonly Combination[], param: Param): Combination[] {
  const values = asList(param);
  if (combinations.length === 0) return values.map((value) => new Map([[param.name, value]]));
  return values.flatMap((value) => combinations.map((each) => new Map(each).set(param.name, value)));
}

function contradicts(combination: Combination, include: Combination): boolean {
  return [...include].some(([name, value]) => combination.has(name) && combination.get(name) !== value);
}

function isNew(combinations: readonly Combination[], include: Combination): boolean {
  if (include.size === 0) return false;
  return !combinations.some((combination) => [...include].some(([name, value]) => combination.get(name) === value));
}

function toParams(combination: Combination): readonly Param[] {
  return [...combination].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => ({ name, value }));
}

/** How many runs a matrix has names for. Upstream counts in another way than it fans out; both have to be the same here.
 * A list without items counts as `ofEmpty`. */
export function countCombinations({ params = [], include = [] }: Matrix, ofEmpty: 0 | 1 = 1): number {
  if (params.length === 0) return include.length;
  let count = 1;
  for (const param of params) count *= asList(param).length || ofEmpty;
  return Math.min(count + countNewIncludes(params, include), Number.MAX_SAFE_INTEGER);
}

function countNewIncludes(params: readonly Param[], include: NonNullable<Matrix['include']>): number {
  const known = new Map(params.map((param) => [param.name, new Set(asList(param))]));
  let count = 0;
  for (const { params: included = [] } of include)
    for (const param of included) {
      const values = known.get(param.name);
      if (!values) continue;
      if (values.has(asText(param))) break;
      count++;
    }
  return count;
}

import { createHash } from 'node:crypto';
import { type Condition, conjunctsOf, type Term } from '../filter/condition.ts';
import { jsonText } from '../filter/evaluate.ts';

/**
 * Facts are what the embedded storage finds rows by: "the label app is shop". A fact is 48 bits of a hash; a row that was found is compared
 * with the whole filter, so a collision costs a comparison and nothing else.
 */
export type Fact = number;

export type Table = 'results' | 'records';

/** Longer texts are no facts. */
const maxText = 256;
/** A row with more facts than that is found by this one alone. */
const maxFacts = 200;

/**
 * Names that many places share are one fact, wherever they stand: the uid of a run is also the name of its Record, and most often that of
 * its Result. Fewer facts are fewer pages to write.
 */
const sharedNames: Readonly<Record<string, string>> = {
  name: 'uid',
  result_name: 'uid',
  'data["metadata","uid"]': 'uid',
  'data["spec","resource","uid"]': 'uid',
  'data["metadata","namespace"]': 'parent',
};

/** Paths within a record that are facts, besides its labels and annotations. */
const recordPaths: readonly (readonly (string | number)[])[] = [
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'uid'],
  ['spec', 'pipelineRef', 'name'],
  ['spec', 'taskRef', 'name'],
  ['spec', 'resource', 'uid'],
  ['status', 'conditions', 0, 'reason'],
];
const recordPathTexts = new Set(recordPaths.map((path) => JSON.stringify(path)));

/** Annotations that are long, or are in no filter. */
const ignoredAnnotation =
  /^(?:results\.tekton\.dev\/|kubectl\.kubernetes\.io\/last-applied-configuration$|chains\.tekton\.dev\/)/;

/** Annotations, labels and the paths above are facts; nothing else is. */
function isFactPath(table: Table, column: string, path: readonly (string | number)[]): boolean {
  if (table === 'results') return path.length === 1;
  if (column !== 'data') return false;
  const [first, second, key] = path;
  if (path.length === 3 && first === 'metadata' && typeof key === 'string')
    return second === 'labels' || (second === 'annotations' && !ignoredAnnotation.test(key));
  return recordPathTexts.has(JSON.stringify(path));
}

function hash(table: Table, what: string, text: string): Fact {
  return createHash('md5')
    .update(`${table}\0${sharedNames[what] ?? what}\0${text}`)
    .digest()
    .readUIntBE(0, 6);
}

const pathName = (column: string, path: readonly (string | number)[]) => `${column}${JSON.stringify(path)}`;

/** The fact behind rows that have too many facts. */
const manyFacts = (table: Table): Fact => hash(table, 'many', '');

/** The columns that are facts. */
const columns: Readonly<Record<Table, ReadonlySet<string>>> = {
  results: new Set(['parent', 'recordsummary_type', 'recordsummary_status']),
  records: new Set(['parent', 'type', 'name', 'result_name']),
};

/** The facts of a row: of its columns and of its JSON. */
export function factsOf(
  table: Table,
  values: Readonly<Record<string, string | number | undefined>>,
  documents: Readonly<Record<string, unknown>>,
): readonly Fact[] {
  const facts = new Set<Fact>();
  for (const column of columns[table]) {
    const value = values[column];
    if (value !== undefined) facts.add(hash(table, column, String(value)));
  }
  const found: (readonly [string, string])[] = [];
  for (const [column, json] of Object.entries(documents))
    for (const path of pathsOf(table, column, json)) {
      const text = jsonText(json, path);
      if (text !== undefined && text.length <= maxText) found.push([pathName(column, path), text]);
    }
  if (found.length > maxFacts) facts.add(manyFacts(table));
  else for (const [name, text] of found) facts.add(hash(table, name, text));
  return [...facts];
}

function pathsOf(table: Table, column: string, json: unknown): readonly (readonly (string | number)[])[] {
  const keysOf = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value) : []);
  if (table === 'results') return keysOf(json).map((key) => [key]);
  if (column !== 'data') return [];
  const metadata = (json as { metadata?: { labels?: unknown; annotations?: unknown } } | null)?.metadata;
  return [
    ...recordPaths,
    ...keysOf(metadata?.labels).map((key) => ['metadata', 'labels', key]),
    ...keysOf(metadata?.annotations)
      .filter((key) => !ignoredAnnotation.test(key))
      .map((key) => ['metadata', 'annotations', key]),
  ];
}

/**
 * The facts that a filter needs to be true, as groups of which each needs one fact. Empty: no index can answer it, not even in part.
 */
export function factGroups(table: Table, filter: Condition | undefined): readonly (readonly Fact[])[] {
  if (filter === undefined) return [];
  return conjunctsOf(filter).flatMap((condition) => {
    const group = alternatives(table, condition);
    return group ? [group] : [];
  });
}

function alternatives(table: Table, condition: Condition): readonly Fact[] | undefined {
  switch (condition.kind) {
    case 'compare':
      return condition.operator === '='
        ? (factOf(table, condition.left, condition.right) ?? factOf(table, condition.right, condition.left))
        : undefined;
    case 'in':
      return union(condition.options.map((option) => factOf(table, condition.term, option)));
    case 'or':
      return union(condition.of.map((each) => alternatives(table, each)));
    case 'and': {
      const groups = condition.of.map((each) => alternatives(table, each)).filter((each) => each !== undefined);
      return groups.sort((a, b) => a.length - b.length)[0];
    }
    default:
      return undefined;
  }
}

function union(groups: readonly (readonly Fact[] | undefined)[]): readonly Fact[] | undefined {
  return groups.some((group) => group === undefined) ? undefined : [...new Set(groups.flatMap((group) => group ?? []))];
}

function factOf(table: Table, term: Term, other: Term): readonly Fact[] | undefined {
  if (other.kind !== 'constant' || (typeof other.value !== 'string' && typeof other.value !== 'number'))
    return undefined;
  const text = String(other.value);
  if (text.length > maxText) return undefined;
  if (term.kind === 'column') return columns[table].has(term.column) ? [hash(table, term.column, text)] : undefined;
  // Next to a number, JSON is a number, of which there are many spellings.
  if (term.kind !== 'json' || typeof other.value !== 'string') return undefined;
  return isFactPath(table, term.column, term.path)
    ? [hash(table, pathName(term.column, term.path), text), manyFacts(table)]
    : undefined;
}

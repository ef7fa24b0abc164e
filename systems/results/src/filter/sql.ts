import type { Condition, Term } from './condition.ts';

/** Values of a statement, by their places `$1`, `$2` … Nothing of a filter is ever part of the text of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** The condition for PostgreSQL. */
export function conditionSql(condition: Condition, parameters: Parameters): string {
  const inner = (each: Condition) => conditionSql(each, parameters);
  const text = (term: Term) => termSql(term, parameters);
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.of.map(inner).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `NOT (${inner(condition.of)})`;
    case 'compare':
      return comparisonSql(condition, parameters);
    case 'in':
      return condition.options.length === 0
        ? 'FALSE'
        : `(${condition.options
            .map((right) => comparisonSql({ kind: 'compare', operator: '=', left: condition.term, right }, parameters))
            .join(' OR ')})`;
    case 'present':
      return `${text(condition.term)} IS NOT NULL`;
    case 'isTrue':
      return `(${text(condition.term)})::text = 'true'`;
    case 'text': {
      const [left, right] = [`(${text(condition.term)})::text`, `(${text(condition.argument)})::text`];
      if (condition.test === 'contains') return `POSITION(${right} IN ${left}) <> 0`;
      if (condition.test === 'startsWith') return `LEFT(${left}, LENGTH(${right})) = ${right}`;
      if (condition.test === 'endsWith') return `RIGHT(${left}, LENGTH(${right})) = ${right}`;
      return `${left} ~ ${right}`;
    }
  }
}

function comparisonSql(condition: Extract<Condition, { kind: 'compare' }>, parameters: Parameters): string {
  const { operator, left, right } = condition;
  // The form that an index of annotations can answer.
  if (operator === '=' && left.kind === 'json' && left.column !== 'data' && isText(right)) {
    const pair = { [String(left.path[0])]: right.value };
    return `${left.column} @> ${parameters.add(JSON.stringify(pair))}::jsonb`;
  }
  const isNumeric = (term: Term) => term.kind === 'constant' && typeof term.value === 'number';
  const side = (term: Term, other: Term) =>
    term.kind === 'json' && isNumeric(other) ? numberSql(term, parameters) : termSql(term, parameters);
  if (isTime(left) || isTime(right)) return `(${timeSql(left, parameters)} ${operator} ${timeSql(right, parameters)})`;
  return `(${side(left, right)} ${operator} ${side(right, left)})`;
}

const isText = (term: Term): term is { readonly kind: 'constant'; readonly value: string } =>
  term.kind === 'constant' && typeof term.value === 'string';

const isTime = (term: Term) => term.kind === 'time' || (term.kind === 'column' && term.type === 'time');

function timeSql(term: Term, parameters: Parameters): string {
  if (term.kind === 'constant' && typeof term.value === 'number') return timeValue(term.value, parameters);
  return termSql(term, parameters);
}

/** A time of this program, exactly. */
export function timeValue(micros: number, parameters: Parameters): string {
  return `(timestamptz 'epoch' + ${parameters.add(micros)}::bigint * interval '1 microsecond')`;
}

function numberSql(term: Extract<Term, { kind: 'json' }>, parameters: Parameters): string {
  const json = `${term.column} #> ${pathSql(term, parameters)}`;
  return `(CASE jsonb_typeof(${json}) WHEN 'number' THEN (${json})::numeric END)`;
}

function termSql(term: Term, parameters: Parameters): string {
  switch (term.kind) {
    case 'constant':
      if (term.value === null) return 'NULL';
      if (typeof term.value === 'number') return `${parameters.add(term.value)}::numeric`;
      return `${parameters.add(String(term.value))}::text`;
    case 'column':
      return term.column;
    case 'json':
      return jsonSql(term, parameters);
    case 'time':
      return `(${termSql(term.of, parameters)})::TIMESTAMP WITH TIME ZONE`;
    case 'concat':
      return `CONCAT(${term.parts.map((part) => termSql(part, parameters)).join(', ')})`;
    case 'calculate':
      return `((${numeric(term.left, parameters)}) ${term.operator} (${numeric(term.right, parameters)}))`;
    case 'extract':
      return `(EXTRACT(${term.part} FROM ${timeSql(term.of, parameters)}) - ${term.minus})`;
  }
}

const numeric = (term: Term, parameters: Parameters) =>
  term.kind === 'json' ? numberSql(term, parameters) : termSql(term, parameters);

/** `data->'a'->>'b'`: the form that upstream writes, so that indexes that users made for it are used. */
function jsonSql({ column, path }: Extract<Term, { kind: 'json' }>, parameters: Parameters): string {
  if (path.length === 0) return `${column}::text`;
  const keys = path.map((key) => (typeof key === 'number' ? String(Math.trunc(key)) : quoted(key, parameters)));
  const last = keys.pop() as string;
  return `(${[column, ...keys].join('->')}->>${last})`;
}

/** Plain keys are part of the text: an index on an expression is used only for the same expression. */
function quoted(key: string, parameters: Parameters): string {
  return /^[A-Za-z0-9_./-]{1,128}$/.test(key) ? `'${key}'` : `${parameters.add(key)}::text`;
}

function pathSql({ path }: Extract<Term, { kind: 'json' }>, parameters: Parameters): string {
  return `${parameters.add(path.map(String))}::text[]`;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Condition } from '../../filter/condition.ts';
import { type Fact, factGroups, factsOf, type Table } from '../facts.ts';
import { FilterCostError, type ListQuery } from '../storage.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';
import { lastTime } from './schema.ts';

/** A list may use so much of the processor, in parts between which others are served. */
const maxMilliseconds = 5000;
/** Windows grow while few of their rows have all facts, which is found out without their data. */
const maxWindow = 4096;
/** So many rows with their data are read at once: others are served after some milliseconds. */
const maxRows = 256;
const turnMilliseconds = 20;
/** So few candidates are sorted; more are read in the order of an index. */
const maxSorted = 2000;

/** How rows of a table are read and judged. */
export interface ListedTable {
  readonly table: Table;
  /** The columns and joins of one row `r`, after `SELECT` and `FROM`. */
  readonly columns: string;
  readonly joins: string;
  accepts(row: SqlRow, filter: Condition | undefined): boolean;
}

interface Plan {
  /** Further conditions on `r`, with their values. */
  readonly where: readonly string[];
  readonly values: readonly SqlValue[];
  /** Groups of facts of which each needs one, the rarest first. */
  readonly groups: readonly (readonly Fact[])[];
  readonly isSmall: boolean;
}

const orderColumns: Readonly<Record<ListQuery['order']['column'], string>> = {
  id: 'seq',
  created_time: 'seq',
  updated_time: 'updated',
  recordsummary_start_time: `ifnull(r.s_start, ${lastTime})`,
  recordsummary_end_time: `ifnull(r.s_end, ${lastTime})`,
};

/**
 * Finds the rows of a list. It follows the facts of the filter through their indexes, a window of rows at a time, and compares every row
 * that it finds with the whole filter.
 */
export async function* walkList(
  database: Database,
  listed: ListedTable,
  query: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<SqlRow> {
  await database.settled();
  const plan = planOf(database, listed.table, query);
  if (plan === undefined) return;
  const { order } = query;
  const column = orderColumns[order.column];
  const isBySeq = column === 'seq';
  const direction = order.descending ? 'DESC' : 'ASC';
  const isSorted = !isBySeq && plan.isSmall;
  const position = positionAfter(database, listed.table, query);
  let last: Position | undefined;
  let window = Math.min(maxRows, Math.max(64, query.limit + 1));
  const candidates: SqlRow[] = [];
  let spent = 0;
  for (;;) {
    signal?.throwIfAborted();
    await database.settled();
    let began = performance.now();
    const read =
      isBySeq || isSorted
        ? windowBySeq(
            database,
            listed,
            plan,
            isSorted ? 'ASC' : direction,
            isSorted ? last : (last ?? position),
            window,
          )
        : windowByColumn(database, listed, plan, column, direction, last ?? position, window);
    for (const row of read.rows) {
      const isListed = listed.accepts(row, query.filter);
      if (isListed && isSorted) candidates.push(row);
      const elapsed = performance.now() - began;
      if (isListed || elapsed > turnMilliseconds) {
        spent += elapsed;
        if (isListed && !isSorted) yield row;
        if (elapsed > turnMilliseconds) await nextTurn();
        began = performance.now();
      }
    }
    if (read.last === undefined) break;
    last = read.last;
    window = read.rows.length > maxRows / 2 ? maxRows : Math.min(maxWindow, window * 2);
    spent += performance.now() - began;
    if (spent > maxMilliseconds) throw new FilterCostError();
    await nextTurn();
  }
  if (isSorted) yield* sorted(candidates, query, position);
}

interface Position {
  readonly seq: number;
  readonly value?: number;
}

function planOf(database: Database, table: Table, { parent, resultName, filter }: ListQuery): Plan | undefined {
  const where: string[] = [];
  const values: SqlValue[] = [];
  if (parent !== undefined) {
    where.push('r.parent = ?');
    values.push(parent);
  }
  const groups = [...factGroups(table, filter)];
  if (parent !== undefined) groups.push(factsOf(table, { parent }, {}));
  if (resultName !== undefined) groups.push(factsOf(table, { result_name: resultName }, {}));
  if (resultName !== undefined) {
    where.push('p.name = ?');
    values.push(resultName);
  }
  const counted = groups.map((group) => {
    const counts = group
      .map((fact) => ({ fact, count: countOf(database, table, fact) }))
      .filter(({ count }) => count > 0);
    return { facts: counts.map(({ fact }) => fact), count: counts.reduce((sum, { count }) => sum + count, 0) };
  });
  if (counted.some(({ count }) => count === 0)) return undefined;
  counted.sort((a, b) => a.count - b.count);
  const isSmall = (counted[0]?.count ?? maxSorted) < maxSorted;
  return { where, values, groups: counted.map(({ facts }) => facts), isSmall };
}

function countOf(database: Database, table: Table, fact: Fact): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${table}_facts WHERE fact = ? LIMIT ${maxSorted})`;
  return Number(database.get(sql, [fact])?.['n']);
}

/** Where a page begins. The row that the token names may be deleted. */
function positionAfter(database: Database, table: Table, { after, order }: ListQuery): Position | undefined {
  if (after === undefined) return undefined;
  const found = database.get(
    order.descending
      ? `SELECT seq FROM ${table} WHERE id >= ? ORDER BY id LIMIT 1`
      : `SELECT seq FROM ${table} WHERE id <= ? ORDER BY id DESC LIMIT 1`,
    [after.id],
  );
  const seq = Number(found?.['seq'] ?? (order.descending ? Number.MAX_SAFE_INTEGER : 0));
  return { seq, value: after.value ?? lastTime };
}

interface Window {
  readonly rows: readonly SqlRow[];
  /** Where the next one begins; absent after the last. */
  readonly last: Position | undefined;
}

/** Rows in the order of their sequence: a merge of the rows of the rarest facts, of which those stay that have the others, too. */
function windowBySeq(
  database: Database,
  { table, columns, joins }: ListedTable,
  { where, values, groups }: Plan,
  direction: 'ASC' | 'DESC',
  position: Position | undefined,
  size: number,
): Window {
  const comparison = direction === 'ASC' ? '>' : '<';
  const from = position?.seq ?? (direction === 'ASC' ? 0 : Number.MAX_SAFE_INTEGER);
  const [driver = [], ...others] = groups;
  const arms =
    driver.length === 0
      ? [`SELECT seq FROM ${table} WHERE seq ${comparison} ?`]
      : driver.map(() => `SELECT seq FROM ${table}_facts WHERE fact = ? AND seq ${comparison} ?`);
  const inner = `${arms.join(' UNION ')} ORDER BY seq ${direction} LIMIT ${size}`;
  const innerValues = driver.length === 0 ? [from] : driver.flatMap((fact) => [fact, from]);
  const edge = direction === 'ASC' ? 'max' : 'min';
  const extent = database.get(`SELECT count(*) AS n, ${edge}(seq) AS last FROM (${inner})`, innerValues);
  const conditions = [...where, ...others.map((group) => hasOneOf(table, group))];
  const rows = database.all(
    `SELECT ${columns} FROM (${inner}) w CROSS JOIN ${table} r ON r.seq = w.seq ${joins}
     ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY w.seq ${direction}`,
    [...innerValues, ...values, ...others.flat()],
  );
  return { rows, last: Number(extent?.['n']) < size ? undefined : { seq: Number(extent?.['last']) } };
}

function windowByColumn(
  database: Database,
  { table, columns, joins }: ListedTable,
  { where, values, groups }: Plan,
  column: string,
  direction: 'ASC' | 'DESC',
  position: Position | undefined,
  size: number,
): Window {
  const comparison = direction === 'ASC' ? '>' : '<';
  const order = `${column} ${direction}, r.seq ${direction}`;
  const bound =
    position === undefined ? '' : `WHERE ${column} ${comparison}= ? AND (${column}, r.seq) ${comparison} (?, ?)`;
  const boundValues = position === undefined ? [] : [position.value ?? 0, position.value ?? 0, position.seq];
  const inner = `SELECT r.seq, ${column} AS at FROM ${table} r ${bound} ORDER BY ${order} LIMIT ${size}`;
  const window = database.all(inner, boundValues);
  const last = window.at(-1);
  const conditions = [...where, ...groups.map((group) => hasOneOf(table, group))];
  const rows = database.all(
    `SELECT ${columns} FROM (${inner}) w CROSS JOIN ${table} r ON r.seq = w.seq ${joins}
     ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY w.at ${direction}, w.seq ${direction}`,
    [...boundValues, ...values, ...groups.flat()],
  );
  const isLast = window.length < size || last === undefined;
  return { rows, last: isLast ? undefined : { seq: Number(last['seq']), value: Number(last['at']) } };
}

function hasOneOf(table: Table, group: readonly Fact[]): string {
  const facts = group.map(() => '?').join(', ');
  return `EXISTS (SELECT 1 FROM ${table}_facts f WHERE f.fact IN (${facts}) AND f.seq = r.seq)`;
}

/** The candidates in the order of a column. */
function* sorted(rows: readonly SqlRow[], { order }: ListQuery, after: Position | undefined): Generator<SqlRow> {
  const sign = order.descending ? -1 : 1;
  const key = { updated_time: 'updated', recordsummary_start_time: 's_start', recordsummary_end_time: 's_end' }[
    order.column as 'updated_time'
  ];
  const position = (row: SqlRow): Position => ({
    seq: Number(row['seq']),
    value: row[key] === null ? lastTime : Number(row[key]),
  });
  const compare = (a: Position, b: Position) => sign * ((a.value ?? 0) - (b.value ?? 0) || a.seq - b.seq);
  const ordered = rows.map((row) => ({ row, at: position(row) })).sort((a, b) => compare(a.at, b.at));
  for (const { row, at } of ordered) if (after === undefined || compare(at, after) > 0) yield row;
}

import { recordFigure } from './figures.ts';

/** One line of figures. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The same thing done by the reference, in this run. */
  readonly reference?: number;
  /** The target, and its direction. */
  readonly target?: { readonly value: number; readonly better: 'more' | 'less' };
  /** Measured elsewhere, for scale. */
  readonly elsewhere?: string;
}

/** Prints rows as a table; returns whether every target was met. */
export function printTable(title: string, rows: readonly Row[]): boolean {
  const cells = rows.map(({ what, value, unit, reference, target, elsewhere }) => [
    what,
    `${format(value)} ${unit}`,
    reference === undefined ? '' : `${(value / reference).toFixed(2)}× of ${format(reference)}`,
    target === undefined
      ? ''
      : `${target.better === 'more' ? '≥' : '≤'} ${format(target.value)} ${meets(value, target) ? '✓' : '✗'}`,
    elsewhere ?? '',
    recordFigure(title, what, value, unit),
  ]);
  const heads = ['', 'measured', 'reference in this run', 'target', 'kube-apiserver 1.36 + etcd', 'of the earlier run'];
  if (cells.every((row) => row.at(-1) === '')) {
    heads.pop();
    for (const row of cells) row.pop();
  }
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  console.log(`\n${title}\n${line(heads)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of cells) console.log(line(row));
  return rows.every(({ value, target }) => target === undefined || meets(value, target));
}

function meets(value: number, { value: wanted, better }: NonNullable<Row['target']>): boolean {
  return better === 'more' ? value >= wanted : value <= wanted;
}

function format(value: number): string {
  if (value >= 1000) return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

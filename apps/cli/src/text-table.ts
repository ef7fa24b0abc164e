import { stripVTControlCharacters } from 'node:util';
import { terminalText } from './terminal-text.ts';

/** A column of a table: its heading, and the cell of a row. */
export interface Column<T> {
  readonly heading: string;
  cell(row: T): string;
}

/** Rows under headings, as kubectl prints them: three spaces between columns, none at the end of a line. */
export function textTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => terminalText(cell(row)) || '-')),
  ];
  const length = (text: string) => stripVTControlCharacters(text).length;
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => length(cells[index] ?? ''))));
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - length(cell)))
      .join('   ')
      .trimEnd();
  return lines.map((cells) => `${lineOf(cells)}\n`).join('');
}

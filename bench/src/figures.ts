import { readFileSync, writeFileSync } from 'node:fs';

/** A figure of a run, by its table and its name. */
interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const figures: Figure[] = [];
let earlier: ReadonlyMap<string, number> = new Map();

/** Compares the figures that follow with those of an earlier run. */
export function compareWith(file: string): void {
  const read = JSON.parse(readFileSync(file, 'utf8')) as readonly Figure[];
  earlier = new Map(read.map(({ name, value }) => [name, value]));
}

/** Keeps a figure; returns its change since the earlier run, if there was one. */
export function recordFigure(table: string, what: string, value: number, unit: string): string {
  const name = `${table}: ${what}`;
  figures.push({ name, value, unit });
  const before = earlier.get(name);
  return before === undefined || before === 0 ? '' : `${(value / before).toFixed(2)}×`;
}

/** Writes the figures of this run for later ones. */
export function writeFigures(file: string): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
}

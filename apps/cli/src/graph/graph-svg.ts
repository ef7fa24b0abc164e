import { durationText, type RunState } from '@tektite/dashboard/run';
import { markOf } from '../tree/tree-lines.ts';
import type { FinalTask, TaskGraph, TaskProgress } from './task-graph.ts';

const box = { height: 32, gapX: 56, gapY: 16, padding: 16, letter: 8, head: 24 };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly task: FinalTask;
}

interface Colours {
  readonly fill: string;
  readonly stroke: string;
}

const plain: Colours = { fill: '#ffffff', stroke: '#444466' };
const colours: Readonly<Record<RunState, Colours>> = {
  waiting: { fill: '#f6f6f8', stroke: '#a0a0b0' },
  running: { fill: '#fff6d6', stroke: '#c08a00' },
  succeeded: { fill: '#e4f5e6', stroke: '#2c8a3c' },
  failed: { fill: '#fbe3e3', stroke: '#c22d2d' },
  cancelled: { fill: '#f5e4f5', stroke: '#8a2c8a' },
  skipped: { fill: '#f6f6f8', stroke: '#a0a0b0' },
};

/** Draws a graph: one column for each level, final tasks in a separate frame; for a run with states and times. */
export function graphSvg({ name, tasks, final }: TaskGraph): string {
  const columns: FinalTask[][] = [];
  for (const task of tasks) (columns[task.level] ??= []).push(task);
  const places = new Map<string, Place>();
  let x = box.padding;
  for (const column of columns) x = addColumn(places, column, x, 't');
  const finalX = x;
  if (final.length > 0) x = addColumn(places, final, x, 'f');
  const rows = Math.max(1, final.length, ...columns.map((column) => column.length));
  const width = Math.max(x - box.gapX + box.padding, name.length * box.letter + 2 * box.padding);
  const height = 2 * box.padding + box.head + rows * (box.height + box.gapY) - box.gapY;
  const at = (task: string) => places.get(`t:${task}`);
  const edges = tasks.flatMap((task) => task.parents.map((parent) => edge(at(parent), at(task.name))));
  const parents = new Set(tasks.flatMap((task) => task.parents));
  const finalFrame = final.length > 0 ? frame(finalX, x - box.gapX - finalX, final.length) : undefined;
  const ends = tasks
    .filter((task) => !parents.has(task.name))
    .map((task) => edge(at(task.name), finalFrame?.entry, true));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#8888aa"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${box.padding}" y="${box.padding + 8}" font-weight="bold">${escape(name)}</text>`,
    ...(finalFrame ? [finalFrame.text] : []),
    ...edges,
    ...(finalFrame ? ends : []),
    ...[...places].map(([key, place]) => boxOf(place, key.startsWith('f:'))),
    '</svg>\n',
  ].join('\n');
}

/** Places a column, and gives the place of the next one. Keys differ for final tasks: these may have the name of another. */
function addColumn(places: Map<string, Place>, column: readonly FinalTask[], x: number, key: string): number {
  const width = Math.max(...column.map((task) => label(task).length)) * box.letter + 24;
  column.forEach((task, row) => {
    places.set(`${key}:${task.name}`, { x, y: rowAt(row), width, task });
  });
  return x + width + box.gapX;
}

function rowAt(row: number): number {
  return box.padding + box.head + row * (box.height + box.gapY);
}

/** The frame of the final tasks, with its label, and where arrows enter it. */
function frame(
  x: number,
  width: number,
  rows: number,
): { readonly text: string; readonly entry: Pick<Place, 'x' | 'y'> } {
  const [left, top] = [x - 10, rowAt(0) - 22];
  const height = rowAt(rows - 1) + box.height + 10 - top;
  const rect = `<rect x="${left}" y="${top}" width="${width + 20}" height="${height}" fill="#f4f4fb" stroke="#8888aa" stroke-dasharray="4" rx="8"/>`;
  const text = `${rect}<text x="${left + 8}" y="${top + 14}" font-size="11" fill="#555577">finally</text>`;
  return { text, entry: { x: left, y: rowAt(0) } };
}

function label(task: FinalTask): string {
  return [task.progress && markOf(task.progress.state), task.name, timeOf(task.progress)].filter(Boolean).join(' ');
}

function timeOf(progress: TaskProgress | undefined): string {
  return progress?.tookMs === undefined ? '' : durationText(progress.tookMs);
}

function boxOf({ x, y, width, task }: Place, isFinal: boolean): string {
  const { fill, stroke } = task.progress ? colours[task.progress.state] : plain;
  const style = `fill="${fill}" stroke="${stroke}" rx="6"${isFinal ? ' stroke-dasharray="4"' : ''}`;
  const title = task.progress
    ? `<title>${escape(`${task.name}: ${task.progress.state} ${timeOf(task.progress)}`.trim())}</title>`
    : '';
  return (
    `<g>${title}<rect x="${x}" y="${y}" width="${width}" height="${box.height}" ${style}/>` +
    `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle">${escape(label(task))}</text></g>`
  );
}

function edge(from: Place | undefined, to: Pick<Place, 'x' | 'y'> | undefined, dashed = false): string {
  if (!from || !to) return '';
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + box.height / 2, to.x, to.y + box.height / 2];
  const bend = (x2 - x1) / 2;
  const style = `fill="none" stroke="#8888aa"${dashed ? ' stroke-dasharray="4"' : ''} marker-end="url(#arrow)"`;
  return `<path d="M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" ${style}/>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

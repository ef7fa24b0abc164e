import { edgePath, layoutGraph, type Place } from '@tektite/dashboard/graph';
import { durationText, type RunState } from '@tektite/dashboard/run';
import { markOf } from '../tree/tree-lines.ts';
import type { FinalTask, TaskGraph, TaskProgress } from './task-graph.ts';

const sizes = { nodeHeight: 32, gapX: 56, gapY: 16 };
const padding = 16;
const letter = 8;
const head = 24;
/** Around final tasks, and above them for the label. */
const frame = { side: 10, top: 24 };

type Box = Pick<Place, 'x' | 'y' | 'width' | 'height'>;

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
  const layout = layoutGraph(
    tasks.map((task) => ({ id: task.name, parents: task.parents, width: widthOf(task) })),
    sizes,
  );
  const finalBox = final.length > 0 ? finalFrame(final, layout.width) : undefined;
  const height = Math.max(layout.height, finalBox?.height ?? 0);
  const width = finalBox ? finalBox.x + finalBox.width : layout.width;
  const down = <T extends Box>(box: T): T => ({ ...box, y: box.y + (height - layout.height) / 2 });
  const at = (task: string) => {
    const place = layout.places.get(task);
    return place && down(place);
  };
  const parents = new Set(layout.edges.map(({ from }) => from));
  const lastTasks = tasks.filter((task) => !parents.has(task.name));
  const whole = { width: Math.max(width, name.length * letter) + 2 * padding, height: height + head + 2 * padding };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${whole.width}" height="${whole.height}" viewBox="0 0 ${whole.width} ${whole.height}" font-family="sans-serif" font-size="13">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#8888aa"/></marker></defs>',
    `<rect width="${whole.width}" height="${whole.height}" fill="#ffffff"/>`,
    `<text x="${padding}" y="${padding + 8}" font-weight="bold">${escape(name)}</text>`,
    `<g transform="translate(${padding} ${padding + head})">`,
    ...(finalBox ? [frameOf(finalBox)] : []),
    ...layout.edges.map(({ from, to }) => edge(at(from), at(to))),
    ...(finalBox ? lastTasks.map((task) => edge(at(task.name), finalBox, true)) : []),
    ...tasks.map((task) => boxOf(task, at(task.name), false)),
    ...final.map((task, row) => boxOf(task, finalBox && rowIn(finalBox, row), true)),
    '</g>',
    '</svg>\n',
  ].join('\n');
}

function finalFrame(final: readonly FinalTask[], left: number): Box {
  const rows = final.length * (sizes.nodeHeight + sizes.gapY) - sizes.gapY;
  const width = Math.max(...final.map(widthOf)) + 2 * frame.side;
  return { x: left === 0 ? 0 : left + sizes.gapX, y: 0, width, height: frame.top + rows + frame.side };
}

function rowIn({ x, y, width }: Box, row: number): Box {
  const top = y + frame.top + row * (sizes.nodeHeight + sizes.gapY);
  return { x: x + frame.side, y: top, width: width - 2 * frame.side, height: sizes.nodeHeight };
}

function frameOf({ x, y, width, height }: Box): string {
  return (
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#f4f4fb" stroke="#8888aa" stroke-dasharray="4" rx="8"/>` +
    `<text x="${x + 8}" y="${y + 15}" font-size="11" fill="#555577">finally</text>`
  );
}

function widthOf(task: FinalTask): number {
  return label(task).length * letter + 24;
}

function label(task: FinalTask): string {
  return [task.progress && markOf(task.progress.state), task.name, timeOf(task.progress)].filter(Boolean).join(' ');
}

function timeOf(progress: TaskProgress | undefined): string {
  return progress?.tookMs === undefined ? '' : durationText(progress.tookMs);
}

function boxOf(task: FinalTask, box: Box | undefined, isFinal: boolean): string {
  if (!box) return '';
  const { x, y, width, height } = box;
  const { fill, stroke } = task.progress ? colours[task.progress.state] : plain;
  const style = `fill="${fill}" stroke="${stroke}" rx="6"${isFinal ? ' stroke-dasharray="4"' : ''}`;
  const title = task.progress
    ? `<title>${escape(`${task.name}: ${task.progress.state} ${timeOf(task.progress)}`.trim())}</title>`
    : '';
  return (
    `<g>${title}<rect x="${x}" y="${y}" width="${width}" height="${height}" ${style}/>` +
    `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle">${escape(label(task))}</text></g>`
  );
}

function edge(from: Box | undefined, to: Box | undefined, dashed = false): string {
  if (!from || !to) return '';
  const style = `fill="none" stroke="#8888aa"${dashed ? ' stroke-dasharray="4"' : ''} marker-end="url(#arrow)"`;
  return `<path d="${edgePath(from, to)}" ${style}/>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

import type { TaskGraph } from './task-graph.ts';

const box = { height: 32, gapX: 56, gapY: 16, padding: 16, letter: 8 };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A picture: one column for each level, final tasks in the last. */
export function graphSvg({ name, tasks, final }: TaskGraph): string {
  const columns: string[][] = [];
  for (const task of tasks) (columns[task.level] ??= []).push(task.name);
  const last = columns.length;
  if (final.length > 0) columns.push([...final]);
  const places = new Map<string, Place>();
  let x = box.padding;
  columns.forEach((names, column) => {
    const width = Math.max(...names.map((each) => each.length)) * box.letter + 24;
    names.forEach((each, row) => {
      // A final task may have the name of no other, but a map wants to be sure.
      places.set(`${column === last ? 'f' : 't'}:${each}`, {
        x,
        y: box.padding + 24 + row * (box.height + box.gapY),
        width,
      });
    });
    x += width + box.gapX;
  });
  const rows = Math.max(1, ...columns.map((names) => names.length));
  const width = Math.max(x - box.gapX + box.padding, name.length * box.letter + 2 * box.padding);
  const height = 2 * box.padding + 24 + rows * (box.height + box.gapY) - box.gapY;
  const edges = tasks.flatMap((task) =>
    task.parents.map((parent) => edge(places.get(`t:${parent}`), places.get(`t:${task.name}`))),
  );
  const boxes = [...places].map(([key, place]) => boxOf(key.slice(2), place, key.startsWith('f:')));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="13">`,
    `<text x="${box.padding}" y="${box.padding + 8}" font-weight="bold">${escape(name)}</text>`,
    ...edges,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

function boxOf(name: string, { x, y, width }: Place, isFinal: boolean): string {
  const style = `fill="${isFinal ? '#eef' : '#fff'}" stroke="#446" rx="6"${isFinal ? ' stroke-dasharray="4"' : ''}`;
  return (
    `<rect x="${x}" y="${y}" width="${width}" height="${box.height}" ${style}/>` +
    `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle">${escape(name)}</text>`
  );
}

function edge(from: Place | undefined, to: Place | undefined): string {
  if (!from || !to) return '';
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + box.height / 2, to.x, to.y + box.height / 2];
  const bend = (x2 - x1) / 2;
  return `<path d="M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="#88a"/>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

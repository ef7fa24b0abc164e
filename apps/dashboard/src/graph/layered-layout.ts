/** A node to place. Parents that are not among the nodes are ignored. */
export interface LayoutNode {
  readonly id: string;
  readonly parents: readonly string[];
  readonly width: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** How many steps from the start: nodes with the same number can run at once. */
  readonly level: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
  readonly edges: readonly LayoutEdge[];
}

export interface LayoutSizes {
  readonly nodeHeight: number;
  readonly gapX: number;
  readonly gapY: number;
}

const sweeps = 4;

/**
 * Places the nodes of a graph in columns, each behind all of its parents. Within a column, nodes are ordered by where their neighbours
 * are, which leaves few crossings, and are drawn towards their parents. A thousand nodes take some milliseconds.
 *
 * Nodes of a circle, which no Pipeline can have, are placed as if the edge that closes it were not there.
 */
export function layoutGraph(nodes: readonly LayoutNode[], { nodeHeight, gapX, gapY }: LayoutSizes): Layout {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const edges = nodes.flatMap(({ id, parents }) =>
    [...new Set(parents)].filter((parent) => known.has(parent)).map((from) => ({ from, to: id })),
  );
  const levels = levelsOf(nodes, known);
  const columns: LayoutNode[][] = [];
  for (const node of nodes) (columns[levels.get(node.id) ?? 0] ??= []).push(node);
  orderColumns(columns, edges);
  const parents = neighbours(edges, 'to', 'from');
  const centers = new Map<string, number>();
  const places = new Map<string, Place>();
  let x = 0;
  for (const [level, column] of columns.entries()) {
    const width = Math.max(...column.map((node) => node.width));
    const ys = columnTops(column, parents, centers, nodeHeight, gapY);
    for (const [index, node] of column.entries()) {
      const y = ys[index] ?? 0;
      centers.set(node.id, y + nodeHeight / 2);
      places.set(node.id, { x, y, width, height: nodeHeight, level });
    }
    x += width + gapX;
  }
  const top = Math.min(0, ...[...places.values()].map(({ y }) => y));
  for (const [id, place] of places) places.set(id, { ...place, y: Math.round(place.y - top) });
  const height = Math.max(0, ...[...places.values()].map(({ y }) => y + nodeHeight));
  return { width: Math.max(0, x - gapX), height, places, edges };
}

function levelsOf(nodes: readonly LayoutNode[], known: ReadonlyMap<string, LayoutNode>): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const open = new Set<string>();
  // Not recursive: a chain of a thousand tasks is as deep.
  for (const { id: root } of nodes) {
    const stack = [root];
    while (stack.length > 0) {
      const id = stack.at(-1) ?? '';
      const parents = (known.get(id)?.parents ?? []).filter((parent) => known.has(parent));
      const next = levels.has(id) ? undefined : parents.find((parent) => !levels.has(parent) && !open.has(parent));
      if (next !== undefined) {
        open.add(id);
        stack.push(next);
        continue;
      }
      if (!levels.has(id)) levels.set(id, Math.max(0, ...parents.map((parent) => (levels.get(parent) ?? -1) + 1)));
      open.delete(id);
      stack.pop();
    }
  }
  return levels;
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

function neighbours(edges: readonly LayoutEdge[], of: 'from' | 'to', side: 'from' | 'to'): Neighbours {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const list = found.get(edge[of]);
    if (list) list.push(edge[side]);
    else found.set(edge[of], [edge[side]]);
  }
  return found;
}

/** Orders nodes by the mean position of their neighbours, forwards and backwards. */
function orderColumns(columns: LayoutNode[][], edges: readonly LayoutEdge[]): void {
  const parents = neighbours(edges, 'to', 'from');
  const children = neighbours(edges, 'from', 'to');
  const positions = new Map<string, number>();
  const place = (column: readonly LayoutNode[]) => column.forEach(({ id }, index) => positions.set(id, index));
  for (const column of columns) place(column);
  const sort = (column: LayoutNode[], near: Neighbours) => {
    const means = new Map(column.map(({ id }, index) => [id, meanOf(near.get(id), positions) ?? index]));
    column.sort((a, b) => (means.get(a.id) ?? 0) - (means.get(b.id) ?? 0));
    place(column);
  };
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (sweep % 2 === 0) for (const column of columns) sort(column, parents);
    else for (const column of columns.toReversed()) sort(column, children);
  }
}

function meanOf(ids: readonly string[] | undefined, values: ReadonlyMap<string, number>): number | undefined {
  if (!ids || ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (values.get(id) ?? 0), 0) / ids.length;
}

/** Each node as near to its parents as the ones above it allow; then the column as a whole. */
function columnTops(
  column: readonly LayoutNode[],
  parents: Neighbours,
  centers: ReadonlyMap<string, number>,
  height: number,
  gap: number,
): readonly number[] {
  const wanted = column.map(
    ({ id }, index) => (meanOf(parents.get(id), centers) ?? index * (height + gap) + height / 2) - height / 2,
  );
  const tops: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const want of wanted) {
    const top = Math.max(want, least);
    tops.push(top);
    least = top + height + gap;
  }
  const shift = wanted.reduce((sum, want, index) => sum + want - (tops[index] ?? 0), 0) / Math.max(1, column.length);
  return tops.map((top) => top + shift);
}

/** The path of an edge, from the right side of a node to the left side of another. */
export function edgePath(
  from: Pick<Place, 'x' | 'y' | 'width' | 'height'>,
  to: Pick<Place, 'x' | 'y' | 'height'>,
): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
  const bend = Math.min(48, Math.max(12, (x2 - x1) / 2));
  if (Math.abs(y2 - y1) < 1) return `M${x1} ${y1}H${x2}`;
  const turn = x2 - bend * 2;
  // Long edges stay level until the column before their end.
  return `M${x1} ${y1}${turn > x1 ? `H${turn}` : ''}C${Math.max(x1, turn) + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

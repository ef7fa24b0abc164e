import { useMemo } from 'preact/hooks';
import { edgePath, layoutGraph } from '../../src/graph/index.ts';
import { durationText, type RunNode, skipText, wholeSpan } from '../../src/run/index.ts';
import type { ShownTask } from '../../src/stores/run-store.ts';

import { StateMark, stateWords } from './state-mark.tsx';

interface TaskGraphProps {
  readonly tasks: readonly ShownTask[];
  readonly selected?: string | undefined;
  readonly critical?: ReadonlySet<string>;
  readonly now?: number;
  readonly onSelect?: (task: ShownTask) => void;
}

const sizes = { nodeHeight: 44, gapX: 44, gapY: 14 };
const padding = 16;
/** A graph that is a little too wide is made smaller, as long as it can be read; others scroll. */
const leastScale = 0.75;
const letter = 7.3;
const finalHead = 26;

/** The tasks of a Pipeline and which waits for which; of a run with states and times. Final tasks are in a frame. */
export function TaskGraph({ tasks, selected, critical, now = 0, onSelect }: TaskGraphProps) {
  // Names and edges change seldom; states do with every event.
  const shape = tasks.map(({ name, parents, isFinal }) => `${name}<${parents.join()}${isFinal ? '!' : ''}`).join(';');
  const picture = useMemo(() => pictureOf(tasks), [shape]);
  const { width, height, places, edges, finals, frame } = picture;
  const byKey = new Map(tasks.map((task) => [keyOf(task), task]));
  return (
    <div class="graph" tabIndex={0} role="group" aria-label="Graph of tasks">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxWidth: '100%', minWidth: `${Math.round(width * leastScale)}px` }}
      >
        <g transform={`translate(${padding} ${padding})`}>
          {frame ? (
            <g class="graph-final">
              <rect x={frame.x} y={frame.y} width={frame.width} height={frame.height} rx="10" />
              <text x={frame.x + 12} y={frame.y + 17}>
                finally
              </text>
            </g>
          ) : null}
          {edges.map(({ from, to, path }) => (
            <path
              key={`${from}>${to}`}
              d={path}
              class={`edge ${critical?.has(from) && critical.has(to) ? 'critical' : ''} ${to === 'finally' ? 'to-final' : ''}`}
            />
          ))}
          {[...places, ...finals].map(([key, place]) => {
            const task = byKey.get(key);
            if (!task) return null;
            return (
              <GraphNode
                key={key}
                task={task}
                place={place}
                now={now}
                isSelected={selected === task.name}
                isCritical={critical?.has(task.node?.name ?? '') ?? false}
                {...(onSelect ? { onSelect: () => onSelect(task) } : {})}
              />
            );
          })}
        </g>
      </svg>
    </div>
  );
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface GraphNodeProps {
  readonly task: ShownTask;
  readonly place: Box;
  readonly now: number;
  readonly isSelected: boolean;
  readonly isCritical: boolean;
  readonly onSelect?: () => void;
}

function GraphNode({ task, place, now, isSelected, isCritical, onSelect }: GraphNodeProps) {
  const { node, name } = task;
  const state = node?.state;
  const detail = node ? detailOf(node, now) : '';
  // It begins with the visible text, which people speak to choose it.
  const label = [`${name} ${detail}`.trim(), state && stateWords[state]].filter(Boolean).join(', ');
  const act = onSelect
    ? {
        role: 'button' as const,
        tabIndex: 0,
        onClick: onSelect,
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          onSelect();
        },
      }
    : { role: 'img' as const };
  return (
    <g
      class={`node ${state ?? ''} ${isSelected ? 'selected' : ''} ${isCritical ? 'critical' : ''}`}
      transform={`translate(${place.x} ${place.y})`}
      {...act}
    >
      <title>{[label, node?.note].filter(Boolean).join('\n')}</title>
      {node && node.children.length > 0 && !node.id.startsWith('TaskRun/') ? (
        <rect class="node-back" x="4" y="4" width={place.width} height={place.height} rx="7" />
      ) : null}
      <rect class="node-box" width={place.width} height={place.height} rx="7" />
      <g transform={`translate(12 ${place.height / 2 - 8})`} aria-hidden="true">
        {state ? <StateMark state={state} /> : <circle class="node-dot" cx="8" cy="8" r="4" />}
      </g>
      <text x="38" y={detail ? 19 : place.height / 2 + 4.5} class="node-name" aria-hidden="true">
        {name}
      </text>
      {detail ? (
        <text x="38" y="34" class="node-detail" aria-hidden="true">
          {detail}
        </text>
      ) : null}
    </g>
  );
}

/** As many letters as the smallest node is wide; its title has all of it. */
const maxDetail = 20;

/** `2m 05s`, `3 of 4 · 10 s`, `attempt 2 · 4.0 s`, `when is false`. */
function detailOf(node: RunNode, now: number): string {
  const span = wholeSpan(node);
  const isMatrix = node.children.length > 0 && !node.id.startsWith('TaskRun/');
  const done = node.children.filter(({ state }) => state === 'succeeded').length;
  const parts = [
    isMatrix ? `${done} of ${node.children.length}` : '',
    /attempt \d+/.exec(node.note ?? '')?.[0] ?? '',
    span && node.state !== 'skipped' ? durationText(Math.max(0, (span.ended ?? now) - span.began)) : '',
    node.state === 'skipped' ? skipText(node.note) : node.state === 'waiting' ? 'waiting' : '',
  ];
  const text = parts.filter(Boolean).join(' · ');
  return text.length > maxDetail ? `${text.slice(0, maxDetail - 1)}…` : text;
}

function keyOf({ name, isFinal }: Pick<ShownTask, 'name' | 'isFinal'>): string {
  return isFinal ? `finally/${name}` : name;
}

function widthOf(name: string): number {
  return Math.max(156, Math.ceil(name.length * letter) + 54);
}

function pictureOf(tasks: readonly ShownTask[]) {
  const main = tasks.filter(({ isFinal }) => !isFinal);
  const final = tasks.filter(({ isFinal }) => isFinal);
  const layout = layoutGraph(
    main.map(({ name, parents }) => ({ id: name, parents, width: widthOf(name) })),
    sizes,
  );
  const edges = layout.edges.flatMap(({ from, to }) => {
    const [start, end] = [layout.places.get(from), layout.places.get(to)];
    return start && end ? [{ from, to, path: edgePath(start, end) }] : [];
  });
  const hasChild = new Set(layout.edges.map(({ from }) => from));
  const finalWidth = Math.max(0, ...final.map(({ name }) => widthOf(name)));
  const finalRows = final.length * (sizes.nodeHeight + sizes.gapY) - sizes.gapY;
  const frameHeight = finalHead + finalRows + 12;
  const height = Math.max(layout.height, final.length > 0 ? frameHeight : 0);
  const x = main.length > 0 ? layout.width + sizes.gapX + 8 : 0;
  const frame =
    final.length > 0 ? { x, y: (height - frameHeight) / 2, width: finalWidth + 24, height: frameHeight } : undefined;
  const finals: [string, Box][] = frame
    ? final.map((task, index) => [
        keyOf(task),
        {
          x: x + 12,
          y: frame.y + finalHead + index * (sizes.nodeHeight + sizes.gapY),
          width: finalWidth,
          height: sizes.nodeHeight,
        },
      ])
    : [];
  const offset = (height - layout.height) / 2;
  const places = [...layout.places].map(([id, place]): [string, Box] => [id, { ...place, y: place.y + offset }]);
  const shifted = edges.map(({ from, to }) => {
    const [start, end] = [layout.places.get(from), layout.places.get(to)];
    return {
      from,
      to,
      path: start && end ? edgePath({ ...start, y: start.y + offset }, { ...end, y: end.y + offset }) : '',
    };
  });
  const ends = frame
    ? places
        .filter(([id]) => !hasChild.has(id))
        .map(([from, place]) => ({
          from,
          to: 'finally',
          path: edgePath(place, { x: frame.x, y: frame.y, height: frame.height }),
        }))
    : [];
  const width = (frame ? frame.x + frame.width : layout.width) + 2 * padding + 6;
  return { width, height: height + 2 * padding + 6, places, finals, frame, edges: [...shifted, ...ends] };
}

import { durationText, type PathStep, type RunNode, type WaterfallRow, waterfallRows } from '../../src/run/index.ts';

import { StateMark } from './state-mark.tsx';

interface WaterfallProps {
  readonly tree: RunNode;
  readonly path: readonly PathStep[];
  /** The tasks that each task comes after. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly now: number;
  readonly onSelect: (row: WaterfallRow) => void;
}

/** When each task ran and waited, on one axis of time. */
export function Waterfall({ tree, path, parents, now, onSelect }: WaterfallProps) {
  const critical = new Set(path.map(({ name }) => name));
  const { rows, startedAt, totalMs } = waterfallRows(tree, critical, now, parents);
  if (rows.length === 0) return <p class="muted pad">Nothing has started yet.</p>;
  const percent = (ms: number) => `${Math.max(0, Math.min(100, (ms / totalMs) * 100))}%`;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <div class="waterfall" role="table" aria-label="Timeline">
      <div class="fall-row fall-head" role="row">
        <span role="columnheader">Task</span>
        <span role="columnheader" class="fall-axis">
          {ticks.map((tick) => (
            <span key={tick} class="number" style={{ left: percent(tick * totalMs) }}>
              {durationText(Math.round(tick * totalMs)).replace('<1 s', '0')}
            </span>
          ))}
        </span>
        <span role="columnheader" class="right">
          Time
        </span>
      </div>
      {rows.map((row) => (
        <div
          key={row.id}
          role="row"
          class={`fall-row depth${row.depth} ${row.isCritical ? 'critical' : ''}`}
          title={row.note}
          onClick={() => onSelect(row)}
        >
          <span role="cell" class="fall-name">
            <StateMark state={row.state} size={14} />
            <button type="button" class="plain">
              {row.name}
            </button>
          </span>
          <span role="cell" class="fall-bars">
            {row.waitMs > 0 && row.began !== undefined ? (
              <span
                class="fall-wait"
                title={`waited ${durationText(row.waitMs)}`}
                style={{ left: percent(row.began - row.waitMs - startedAt), width: percent(row.waitMs) }}
              />
            ) : null}
            {row.began === undefined ? null : (
              <span
                class={`fall-bar ${row.state}`}
                style={{
                  left: percent(row.began - startedAt),
                  width: `max(3px, ${percent((row.ended ?? now) - row.began)})`,
                }}
              />
            )}
          </span>
          <span role="cell" class="right number muted">
            {row.waitMs >= 1000 ? <span class="fall-waited">after {durationText(row.waitMs)} </span> : null}
            {row.began === undefined ? '–' : durationText((row.ended ?? now) - row.began)}
          </span>
        </div>
      ))}
      {path.length > 1 ? <PathText path={path} /> : null}
      <p class="muted pad hint">
        <span class="key critical" /> critical path: the tasks that decided how long the run took
        <span class="key wait" /> waiting: of a task to be started, of a step for its container
      </p>
    </div>
  );
}

/** The critical path in words: how long each task of it ran, and where the waiting was. */
function PathText({ path }: { readonly path: readonly PathStep[] }) {
  const sum = (pick: (step: PathStep) => number) => durationText(path.reduce((total, step) => total + pick(step), 0));
  return (
    <p class="pad path-text">
      <b>Critical path</b>{' '}
      {path.map(({ name, ms, waitMs }, index) => (
        <span key={name}>
          {index > 0 ? ' → ' : ''}
          {waitMs >= 1000 ? <span class="muted">waited {durationText(waitMs)} → </span> : null}
          {name} <span class="muted number">{durationText(ms)}</span>
        </span>
      ))}
      <span class="muted">
        {' '}
        · ran {sum(({ ms }) => ms)}, waited {sum(({ waitMs }) => waitMs)}
      </span>
    </p>
  );
}

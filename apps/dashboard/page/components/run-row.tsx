import { durationText } from '../../src/run/index.ts';
import { type RunSummary, tookMs } from '../../src/stores/run-summary.ts';
import { Link } from './link.tsx';
import { StateMark, stateWords } from './state-mark.tsx';
import { agoText, dateText } from './time-text.ts';

interface RunRowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly now: number;
  readonly usualMs: number;
  readonly isSelected: boolean;
  readonly showsNamespace: boolean;
  /** Of the archive: it cannot be selected, and another run may have its name. */
  readonly isArchived: boolean;
  readonly onToggle: () => void;
}

export function runLink({ kind, namespace, name }: Pick<RunSummary, 'kind' | 'namespace' | 'name'>): string {
  return `/runs/${kind.toLowerCase()}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** A run in a list: state, name, what it runs, when it started, how long it took. */
export function RunRow({ run, index, now, usualMs, isSelected, showsNamespace, isArchived, onToggle }: RunRowProps) {
  const took = tookMs(run, now);
  const began = run.startedAt ?? run.createdAt;
  const word = run.isCancelling ? 'Cancelling' : stateWords[run.state];
  const detail = run.state === 'succeeded' || run.reason === word ? '' : run.reason;
  return (
    <div class={`row run-row ${isSelected ? 'selected' : ''}`} role="row" aria-rowindex={index + 2}>
      <span role="cell" class="cell-select">
        {isArchived ? null : (
          <input type="checkbox" aria-label={`Select ${run.name}`} checked={isSelected} onChange={onToggle} />
        )}
      </span>
      <span role="cell" class="cell-state">
        <StateMark state={run.state} />
        <span class="state-word">{word}</span>
      </span>
      <span role="cell" class="cell-name">
        <Link to={`${runLink(run)}${isArchived ? `?uid=${run.uid}` : ''}`} class="run-name" title={run.name}>
          {run.name}
        </Link>
        <span class="muted run-reference" title={run.message}>
          {[run.kind === 'TaskRun' ? 'TaskRun' : '', run.reference, detail].filter(Boolean).join(' · ')}
        </span>
      </span>
      {showsNamespace ? (
        <span role="cell" class="cell-namespace muted">
          {run.namespace}
        </span>
      ) : null}
      <time role="cell" class="cell-started muted" dateTime={new Date(began).toISOString()} title={dateText(began)}>
        {agoText(began, now)}
      </time>
      <span role="cell" class="cell-took">
        <span class="bar" aria-hidden="true">
          <span
            class={`bar-part ${run.state}`}
            style={{ width: `${took === undefined ? 0 : Math.max(2, Math.min(100, (took / usualMs) * 100))}%` }}
          />
        </span>
        <span class="number">{took === undefined ? '–' : durationText(took)}</span>
      </span>
    </div>
  );
}

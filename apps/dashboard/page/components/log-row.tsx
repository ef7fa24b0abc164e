import type { LogRow } from '../../src/logs/log-document.ts';
import type { RunState } from '../../src/run/index.ts';
import { StateMark } from './state-mark.tsx';

interface LogRowViewProps {
  readonly row: LogRow;
  readonly hasTimes: boolean;
  readonly state: RunState | undefined;
  readonly isMatch: boolean;
  readonly isCurrent: boolean;
  readonly onFold: (isFolded: boolean) => void;
  readonly onLink: () => void;
}

/** A row of a log: the head of a step, or a line. Everything of a log is text. */
export function LogRowView({ row, hasTimes, state, isMatch, isCurrent, onFold, onLink }: LogRowViewProps) {
  if (row.kind === 'head')
    return (
      <div class="log-row log-head">
        <button type="button" class="plain" aria-expanded={!row.isFolded} onClick={() => onFold(!row.isFolded)}>
          <span class={`fold ${row.isFolded ? 'folded' : ''}`} aria-hidden="true">
            ▾
          </span>
          {state ? <StateMark state={state} size={13} /> : null}
          {row.section}
          <span class="muted number">{row.lines.toLocaleString('en')}</span>
        </button>
      </div>
    );
  return (
    <div class={`log-row ${isMatch ? 'match' : ''} ${isCurrent ? 'current' : ''}`}>
      <button type="button" class="plain log-number number" aria-label={`Link to line ${row.line}`} onClick={onLink}>
        {row.isContinued ? '' : row.line}
      </button>
      {hasTimes ? <span class="log-time number">{row.time.slice(11, 23)}</span> : null}
      <span class="log-text">
        {row.spans.map(({ text, style }, index) =>
          style === '' ? (
            text
          ) : (
            <span key={index} class={style}>
              {text}
            </span>
          ),
        )}
      </span>
    </div>
  );
}

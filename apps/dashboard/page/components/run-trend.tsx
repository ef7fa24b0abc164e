import { durationText } from '../../src/run/index.ts';
import { type RunSummary, tookMs } from '../../src/stores/run-summary.ts';
import { Link } from './link.tsx';
import { runLink } from './run-row.tsx';
import { stateWords } from './state-mark.tsx';

/** The last runs as bars, the newest at the right: colour is the state, height the duration. */
export function RunTrend({ runs }: { readonly runs: readonly RunSummary[] }) {
  if (runs.length === 0) return <span class="muted">–</span>;
  const longest = Math.max(1, ...runs.map((run) => tookMs(run, 0) ?? 0));
  return (
    <span class="trend">
      {runs.toReversed().map((run) => {
        const took = run.completedAt === undefined ? undefined : tookMs(run, 0);
        const label = `${run.name}, ${stateWords[run.state]}${took === undefined ? '' : `, ${durationText(took)}`}`;
        return (
          <Link key={run.uid} to={runLink(run)} title={label} aria-label={label} class="trend-slot">
            <span
              class={`trend-bar ${run.state}`}
              style={{ height: `${Math.max(20, ((took ?? longest) / longest) * 100)}%` }}
            />
          </Link>
        );
      })}
    </span>
  );
}

import type { Coverage } from '@tektite/simulator';

export interface ProgressFigures {
  readonly runs: number;
  readonly seeds: number;
  readonly failures: number;
  readonly seconds: number;
  readonly virtualSeconds: number;
  readonly coverage: Pick<Coverage, 'size' | 'chanceOfNew'>;
}

/** One line: how far, how fast, what was found, and how much is left to find. */
export function formatProgress({ runs, seeds, failures, seconds, virtualSeconds, coverage }: ProgressFigures): string {
  const perSecond = runs / Math.max(seconds, 0.001);
  const left = (seeds - runs) / Math.max(perSecond, 0.001);
  const { size, chanceOfNew } = coverage;
  const next = chanceOfNew === 0 ? 'none expected' : `one in ${Math.max(1, Math.round(1 / chanceOfNew))} seeds`;
  return [
    `${runs} of ${seeds} seeds`,
    `${perSecond.toFixed(1)} seeds/s (${Math.round(virtualSeconds / Math.max(seconds, 0.001))} virtual seconds per second)`,
    `${failures} failed`,
    `${size} features covered, new ones: ${next}`,
    ...(runs < seeds ? [`${formatSeconds(left)} left`] : []),
  ].join(', ');
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

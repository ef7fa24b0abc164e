import type { RunState } from '../../src/run/index.ts';

const paths: Readonly<Record<RunState, string>> = {
  waiting: 'M8 4.500V8l2.300 1.400',
  running: 'M6.500 5.200v5.600L11 8z',
  succeeded: 'M4.800 8.300l2.200 2.200 4.300-4.700',
  failed: 'M5.500 5.500l5 5m0-5l-5 5',
  cancelled: 'M5.800 5.800h4.400v4.400H5.800z',
  skipped: 'M5 8h6',
};

export const stateWords: Readonly<Record<RunState, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
};

interface StateMarkProps {
  readonly state: RunState;
  readonly size?: number;
  /** Default: the word for the state. */
  readonly label?: string;
}

/** The mark of a state: its form differs as well as its colour. */
export function StateMark({ state, size = 16, label = stateWords[state] }: StateMarkProps) {
  return (
    <svg class={`mark ${state}`} width={size} height={size} viewBox="0 0 16 16" role="img" aria-label={label}>
      <circle cx="8" cy="8" r="7" />
      {state === 'running' ? <circle class="spin" cx="8" cy="8" r="7" /> : null}
      <path d={paths[state]} />
    </svg>
  );
}

import type { RunState } from '../../src/run/index.ts';
import { shownStates } from '../../src/stores/run-filter.ts';
import { StateMark, stateWords } from './state-mark.tsx';

interface StateFilterProps {
  readonly counts: ReadonlyMap<RunState, number>;
  readonly total: number;
  readonly chosen: RunState | undefined;
  readonly onChoose: (state: RunState | undefined) => void;
}

/** A button for each state, with the number of its runs. */
export function StateFilter({ counts, total, chosen, onChoose }: StateFilterProps) {
  return (
    <div class="chips" role="group" aria-label="State">
      <button type="button" class="chip" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
        All <span class="number">{total}</span>
      </button>
      {shownStates.map((state) => (
        <button
          key={state}
          type="button"
          class="chip"
          aria-pressed={chosen === state}
          onClick={() => onChoose(chosen === state ? undefined : state)}
        >
          <span aria-hidden="true">
            <StateMark state={state} size={14} />
          </span>
          {stateWords[state]} <span class="number">{counts.get(state) ?? 0}</span>
        </button>
      ))}
    </div>
  );
}

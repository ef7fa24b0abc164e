import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import type { RunName } from '../../src/stores/run-actions.ts';
import type { RunsStore } from '../../src/stores/runs-store.ts';
import { Confirm } from './confirm.tsx';

/** Actions for the selected runs. */
export function BulkBar({ store }: { readonly store: RunsStore }) {
  const { actions, notices, session } = useApp();
  const [isAsking, setAsking] = useState(false);
  const runs = store.selectedRuns.value;
  const state = session.state.value;
  if (runs.length === 0 || (state.phase === 'in' && state.session.isReadOnly)) return null;
  const running = runs.filter(({ state: each }) => each === 'running' || each === 'waiting');
  const doAll = async (which: readonly RunName[], action: (run: RunName) => Promise<void>, word: string) => {
    const errors = await actions.each(which, action);
    for (const error of errors.slice(0, 3)) notices.add('bad', error);
    const done = which.length - errors.length;
    if (done > 0) notices.add('good', `${done} ${done === 1 ? 'run' : 'runs'}: ${word}`);
    store.selected.value = new Set();
  };
  return (
    <div class="bulk" role="toolbar" aria-label="Selected runs">
      <span>
        <b class="number">{runs.length}</b> selected
      </span>
      <button
        type="button"
        disabled={running.length === 0}
        onClick={() => void doAll(running, (run) => actions.cancel(run), 'cancellation requested')}
      >
        Cancel {running.length > 0 ? running.length : ''}
      </button>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Delete…
      </button>
      <button type="button" class="quiet" onClick={() => (store.selected.value = new Set())}>
        Clear
      </button>
      {isAsking ? (
        <Confirm
          title={runs.length === 1 ? `Delete ${runs[0]?.name}?` : `Delete ${runs.length} runs?`}
          action="Delete"
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={() => void doAll(runs, (run) => actions.delete(run), 'deleted')}
        >
          <p class="muted">Their TaskRuns, Pods and logs are deleted, too.</p>
        </Confirm>
      ) : null}
    </div>
  );
}

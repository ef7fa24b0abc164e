import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app.ts';
import type { HistoryStore, PlannedDiff } from '../../src/stores/history-store.ts';
import { DiffView } from './diff-view.tsx';

/** The effect of a rollback as a diff, and the button that applies it. */
export function RollbackDialog({ store }: { readonly store: HistoryStore }) {
  const { notices } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const state = store.rollback.value;
  const isOpen = state.phase !== 'none';
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (state.phase === 'none') return null;
  const { set, revision } = state;
  const apply = async () => {
    const summary = await store.apply(set, revision);
    if (summary !== undefined) notices.add('good', `Rolled back ${set.name} to revision ${revision}: ${summary}`);
  };
  return (
    <dialog ref={dialog} class="dialog wide-dialog" aria-labelledby="rollback-title" onClose={() => store.close()}>
      <div class="dialog-body">
        <h2 id="rollback-title">
          Roll back {set.name} to revision {revision}
        </h2>
        {state.phase === 'planning' || state.phase === 'applying' ? (
          <div class="loading" role="status" aria-busy="true">
            {state.phase === 'planning' ? 'Planning' : 'Applying'}
          </div>
        ) : null}
        {state.phase === 'failed' ? (
          <p class="problem" role="alert">
            {state.error}
          </p>
        ) : null}
        {state.phase === 'planned' ? <PlannedObjects objects={state.objects} /> : null}
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep as it is
          </button>
          <button
            type="button"
            class="primary"
            disabled={state.phase !== 'planned' || state.objects.length === 0}
            onClick={() => void apply()}
          >
            Apply
          </button>
        </div>
      </div>
    </dialog>
  );
}

function PlannedObjects({ objects }: { readonly objects: readonly PlannedDiff[] }) {
  if (objects.length === 0) return <p class="muted">Nothing would change.</p>;
  return (
    <div class="planned" tabIndex={0} role="region" aria-label="Plan">
      {objects.map(({ object, action, reason, diff }) => {
        const name = `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
        return (
          <section key={name}>
            <h3>
              <span class={`fate ${action}`}>{action}</span> {name}
            </h3>
            {reason ? <p class="muted">{reason}</p> : null}
            <DiffView diff={diff} label={name} />
          </section>
        );
      })}
    </div>
  );
}

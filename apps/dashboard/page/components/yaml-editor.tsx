import { useEffect } from 'preact/hooks';
import { useApp } from '../app.ts';
import { diffHunks } from '../../src/stores/line-diff.ts';
import type { ObjectStore } from '../../src/stores/object-store.ts';
import { ComponentPlan } from './component-plan.tsx';
import { DiffView } from './diff-view.tsx';
import { YamlView } from './yaml-view.tsx';

/** YAML to read, and to edit: the server checks an edit and shows the difference before it is written. */
export function YamlEditor({ store }: { readonly store: ObjectStore }) {
  const { router, session, notices } = useApp();
  const edit = store.edit.value;
  const object = store.object.value;
  const state = session.state.value;
  const canEdit = state.phase === 'in' && !state.session.isReadOnly;
  // A link that opens the editor.
  const isAsked = canEdit && router.place.value.query.edit === '1';
  useEffect(() => {
    if (!isAsked || !object) return;
    if (edit.phase === 'none') store.begin();
    router.setQuery({ edit: undefined });
  }, [isAsked, !object]);
  if (!object) return null;
  if (edit.phase === 'none') return <YamlView object={object} {...(canEdit ? { onEdit: () => store.begin() } : {})} />;
  if (edit.phase === 'checked') {
    const hunks = diffHunks(edit.diff);
    return (
      <div class="editor">
        {hunks.length === 0 ? <p class="muted pad">Nothing would change.</p> : null}
        <DiffView diff={edit.diff} label="Difference" />
        {edit.components ? <ComponentPlan components={edit.components} /> : null}
        {edit.planError ? <p class="problem">The plan of the operator failed: {edit.planError}</p> : null}
        <div class="buttons pad">
          <button
            type="button"
            class="primary"
            disabled={hunks.length === 0}
            onClick={() =>
              void store.save().then(() => store.edit.value.phase === 'none' && notices.add('good', 'Saved'))
            }
          >
            {edit.components ? 'Apply' : 'Save'}
          </button>
          <button type="button" onClick={() => (store.edit.value = { phase: 'typing' })}>
            Edit further
          </button>
          <button type="button" class="quiet" onClick={() => store.cancel()}>
            Discard
          </button>
        </div>
      </div>
    );
  }
  const isBusy = edit.phase === 'busy';
  return (
    <div class="editor">
      {edit.phase === 'typing' && edit.error ? (
        <p class="problem" role="alert">
          {edit.error}
          {edit.isConflict ? (
            <button type="button" class="quiet" onClick={() => store.begin()}>
              Load the current object
            </button>
          ) : null}
        </p>
      ) : null}
      <textarea
        aria-label="YAML"
        spellcheck={false}
        value={store.text.value}
        disabled={isBusy}
        onInput={(event) => (store.text.value = event.currentTarget.value)}
      />
      <div class="buttons pad">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void store.check()}>
          Check and show the difference
        </button>
        <button type="button" class="quiet" onClick={() => store.cancel()}>
          Discard
        </button>
      </div>
    </div>
  );
}

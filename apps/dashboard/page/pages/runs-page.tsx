import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { BulkBar } from '../components/bulk-bar.tsx';
import { NamespaceMenu } from '../components/namespace-menu.tsx';
import { RunRow } from '../components/run-row.tsx';
import { StateFilter } from '../components/state-filter.tsx';
import { useNow } from '../components/use-now.ts';
import { useRowHeight } from '../components/use-row-height.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import { RunsStore, type RunsView } from '../../src/stores/runs-store.ts';
import { shownStates } from '../../src/stores/run-filter.ts';

const sorts = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['longest', 'Longest first'],
  ['name', 'By name'],
] as const;

/** All runs: live, filtered, sorted; with actions for those that are selected. */
export function RunsPage() {
  const { api, clock, router, schedule, session } = useApp();
  const { query } = router.place.value;
  const store = useMemo(() => new RunsStore({ api, clock, schedule, tools: api }), []);
  const view = readView(query);
  const key = JSON.stringify(view);
  useEffect(() => store.show(view), [key]);
  useEffect(() => () => store.stop(), []);
  const rowHeight = useRowHeight();
  const runs = store.shown.value;
  const isMoving = (store.counts.value.get('running') ?? 0) > 0;
  const now = useNow(isMoving ? 1000 : 15_000);
  const hasArchive = session.state.value.phase === 'in' && session.state.value.session.tools.includes('archived-runs');
  const isAll = view.namespace === '' || view.namespace.includes(',');
  return (
    <div class="page runs">
      <div class="bar-top">
        <h1>Runs</h1>
        <FilterInput text={view.text} onText={(text) => router.setQuery({ q: text })} />
        <NamespaceMenu value={view.namespace} onChange={(namespace) => router.setQuery({ namespace })} />
        <select
          aria-label="Order"
          value={view.sort}
          onChange={(event) => router.setQuery({ sort: event.currentTarget.value })}
        >
          {sorts.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={view.scope === 'all'}
            onChange={(event) => router.setQuery({ scope: event.currentTarget.checked ? 'all' : undefined })}
          />
          Tasks of pipelines
        </label>
        {hasArchive ? (
          <label class="check" title="Runs of the archive of Tekton Results, also those that were deleted">
            <input
              type="checkbox"
              checked={view.isArchived ?? false}
              onChange={(event) => router.setQuery({ archived: event.currentTarget.checked ? '1' : undefined })}
            />
            Archived
          </label>
        ) : null}
      </div>
      <StateFilter
        counts={store.counts.value}
        total={store.total.value}
        chosen={view.state}
        onChoose={(state) => router.setQuery({ state })}
      />
      <LiveNote store={store} />
      <div class="table" role="table" aria-label="Runs" aria-rowcount={runs.length + 1}>
        <div class={`row head run-row ${isAll ? '' : 'one-namespace'}`} role="row" aria-rowindex={1}>
          <span role="columnheader" class="cell-select">
            {view.isArchived ? null : (
              <input
                type="checkbox"
                aria-label="Select all"
                checked={runs.length > 0 && runs.every(({ uid }) => store.selected.value.has(uid))}
                onChange={() => store.toggleAll()}
              />
            )}
          </span>
          <span role="columnheader" class="cell-state">
            State
          </span>
          <span role="columnheader" class="cell-name">
            Name
          </span>
          {isAll ? (
            <span role="columnheader" class="cell-namespace">
              Namespace
            </span>
          ) : null}
          <span role="columnheader" class="cell-started">
            Started
          </span>
          <span role="columnheader" class="cell-took">
            Duration
          </span>
        </div>
        {runs.length === 0 ? (
          <EmptyRuns store={store} />
        ) : (
          <VirtualList
            count={runs.length}
            rowHeight={rowHeight}
            class={isAll ? '' : 'one-namespace'}
            label="Rows"
            renderRow={(index) => {
              const run = runs[index];
              if (!run) return null;
              return (
                <RunRow
                  key={run.uid}
                  run={run}
                  index={index}
                  now={now}
                  usualMs={store.usualMs.value}
                  isSelected={store.selected.value.has(run.uid)}
                  showsNamespace={isAll}
                  isArchived={view.isArchived ?? false}
                  onToggle={() => store.toggle(run.uid)}
                />
              );
            }}
          />
        )}
      </div>
      {store.hasMore.value ? <p class="muted pad">The archive has older ones, too: a filter finds them.</p> : null}
      <BulkBar store={store} />
    </div>
  );
}

function readView(query: Readonly<Record<string, string>>): RunsView {
  const { namespace = '', q = '', state: stateText, sort: sortText, scope, archived } = query;
  const state = shownStates.find((each) => each === stateText);
  const sort = sorts.find(([each]) => each === sortText)?.[0] ?? 'newest';
  return {
    namespace,
    text: q,
    sort,
    scope: scope === 'all' ? 'all' : 'runs',
    ...(state ? { state } : {}),
    ...(archived === '1' ? { isArchived: true } : {}),
  };
}

/** `f` goes to the filter. */
function FilterInput({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'f' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <input
      ref={input}
      type="search"
      class="filter"
      aria-label="Filter"
      placeholder="Filter: name, pipeline:build, team=web, since:2h"
      value={typed}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        onText(event.currentTarget.value);
      }}
    />
  );
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function LiveNote({ store }: { readonly store: RunsStore }) {
  const state = store.state.value;
  const error = store.error.value;
  if (state === 'live' || state === 'loading') return null;
  return (
    <p class="problem" role="alert">
      {state === 'reconnecting' ? 'Reconnecting: ' : ''}
      {error}
    </p>
  );
}

function EmptyRuns({ store }: { readonly store: RunsStore }) {
  if (store.state.value === 'loading') return <div class="loading" aria-busy="true" />;
  if (store.state.value === 'failed') return null;
  const isFiltered = store.all.value.length > 0;
  return (
    <div class="empty">
      <h2>{isFiltered ? 'No run matches the filter' : 'No runs yet'}</h2>
      {isFiltered ? null : (
        <p class="muted">
          Start one with <code>tektite run -f pipeline.yaml</code> or <code>kubectl create -f run.yaml</code>.
        </p>
      )}
    </div>
  );
}

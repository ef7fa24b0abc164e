import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { BoardCardView } from '../components/board-card.tsx';
import { InstalledSet } from '../components/installed-set.tsx';
import { Link } from '../components/link.tsx';
import { RollbackDialog } from '../components/rollback-dialog.tsx';
import { agoText, dateText } from '../components/time-text.ts';
import { countText } from '../components/count-text.ts';
import { installSections } from '../../src/stores/board.ts';
import { type BoardCard, BoardStore } from '../../src/stores/board-store.ts';
import { HistoryStore } from '../../src/stores/history-store.ts';
import { objectLink } from '../../src/stores/object-link.ts';

/** Installed by operators and by hand: Tekton's components, Connectors, and sets of objects with their history. */
export function InstallsPage() {
  const { api, clock, schedule, discovery, session } = useApp();
  const store = useMemo(() => new BoardStore(installSections, { api, clock, schedule, discovery }), []);
  const history = useMemo(() => new HistoryStore({ api, clock, schedule }), []);
  useEffect(
    () => () => {
      store.stop();
      history.stop();
    },
    [],
  );
  const sections = store.sections.value ?? [];
  const isEmpty = sections.every(({ cards }) => cards.length === 0) && history.sets.value.length === 0;
  const state = session.state.value;
  const canWrite = state.phase === 'in' && !state.session.isReadOnly;
  return (
    <div class="page scroll">
      <h1>Installs</h1>
      {store.error.value ? <p class="problem">{store.error.value}</p> : null}
      {isEmpty && store.isLoading.value ? <div class="loading" aria-busy="true" /> : null}
      {isEmpty && !store.isLoading.value ? (
        <div class="empty">
          <h2>Nothing is installed by an operator</h2>
          <p class="muted">
            <code>tektite up --systems tekton-operator,connectors</code> runs the operators;{' '}
            <code>tektite apply --set</code> keeps a history.
          </p>
        </div>
      ) : null}
      {sections.map(({ title, cards }) =>
        cards.length === 0 ? null : (
          <section key={title} class="board" aria-label={title}>
            <h2>{title}</h2>
            {cards.map((card) => (
              <InstallCard
                key={`${card.resource.plural}/${card.item.namespace}/${card.item.name}`}
                card={card}
                canWrite={canWrite}
              />
            ))}
          </section>
        ),
      )}
      <AppliedSets store={history} canWrite={canWrite} />
      <RollbackDialog store={history} />
    </div>
  );
}

function InstallCard({ card, canWrite }: { readonly card: BoardCard; readonly canWrite: boolean }) {
  const { resource, item, parts } = card;
  const isPlanned = canWrite && /^(TektonConfig|Connector)$/.test(resource.kind);
  const change = `${objectLink(resource, item.namespace, item.name)}?tab=yaml&edit=1`;
  return (
    <BoardCardView
      card={card}
      actions={
        isPlanned ? (
          <Link to={change} class="button">
            Plan a change
          </Link>
        ) : null
      }
    >
      {parts.map((part) => (
        <InstalledSet key={part.item.name} card={part} />
      ))}
    </BoardCardView>
  );
}

function AppliedSets({ store, canWrite }: { readonly store: HistoryStore; readonly canWrite: boolean }) {
  const { clock } = useApp();
  const now = clock.now();
  if (store.error.value) return <p class="muted">The history of applied sets cannot be read: {store.error.value}</p>;
  if (store.sets.value.length === 0) return null;
  return (
    <section class="board" aria-label="Applied sets">
      <h2>Applied sets</h2>
      {store.sets.value.map((set) => (
        <article key={`${set.namespace}/${set.name}`} class="card" aria-label={`Set ${set.name}`}>
          <header>
            <b>{set.name}</b>
            <span class="muted">{set.namespace}</span>
          </header>
          <ol class="revisions">
            {set.revisions.map(({ revision, appliedAt, objects, summary }, index) => (
              <li key={revision}>
                <b class="number">{revision}</b>
                <time class="muted" dateTime={appliedAt} title={dateText(Date.parse(appliedAt))}>
                  {agoText(Date.parse(appliedAt), now)}
                </time>
                <span class="muted number">{countText(objects, 'object')}</span>
                <span class="revision-summary">{summary}</span>
                {index === 0 ? (
                  <span class="tag">current</span>
                ) : canWrite ? (
                  <button type="button" onClick={() => void store.plan(set, revision)}>
                    Roll back…
                  </button>
                ) : null}
              </li>
            ))}
          </ol>
        </article>
      ))}
    </section>
  );
}

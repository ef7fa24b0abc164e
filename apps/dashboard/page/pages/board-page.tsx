import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Link } from '../components/link.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { LiveCollection } from '../../src/api/live-collection.ts';
import { collectionPath } from '../../src/api/resource.ts';
import { type BoardItem, boardItem, type BoardSection, isInSection } from '../../src/stores/board.ts';
import type { ServedResource } from '../../src/stores/discovery-store.ts';
import { objectLink } from '../../src/stores/object-link.ts';

interface BoardPageProps {
  readonly title: string;
  readonly sections: readonly BoardSection[];
  /** What to do where the cluster has none of these kinds. */
  readonly emptyText: string;
}

/** Objects with conditions, and the cause of what is not ready: live. */
export function BoardPage({ title, sections, emptyText }: BoardPageProps) {
  const { discovery } = useApp();
  useEffect(() => void discovery.load(), []);
  const served = discovery.resources.value;
  const shown = sections
    .map((section) => ({ section, resources: (served ?? []).filter((resource) => isInSection(section, resource)) }))
    .filter(({ resources }) => resources.length > 0);
  return (
    <div class="page scroll">
      <h1>{title}</h1>
      {served ? null : <div class="loading" aria-busy="true" />}
      {served && shown.length === 0 ? (
        <div class="empty">
          <h2>None on this cluster</h2>
          <p class="muted">{emptyText}</p>
        </div>
      ) : null}
      {shown.map(({ section, resources }) => (
        <section key={section.title} class="board">
          <h2>{section.title}</h2>
          {resources.map((resource) => (
            <BoardKind key={resource.plural} resource={resource} />
          ))}
        </section>
      ))}
    </div>
  );
}

const marks = { ready: 'succeeded', waiting: 'running', failed: 'failed' } as const;

function BoardKind({ resource }: { readonly resource: ServedResource }) {
  const { api, clock, schedule } = useApp();
  const collection = useMemo(
    () =>
      new LiveCollection<BoardItem>({
        api,
        clock,
        schedule,
        path: collectionPath(resource),
        summarize: boardItem,
      }).start(),
    [],
  );
  useEffect(() => () => collection.stop(), []);
  void collection.version.value;
  const items = [...collection.items.values()];
  if (items.length === 0) return null;
  return (
    <>
      {items.map((item) => (
        <article key={`${item.namespace}/${item.name}`} class="card">
          <header>
            <StateMark state={marks[item.state]} />
            <Link to={objectLink(resource, item.namespace, item.name)} class="run-name">
              {item.name}
            </Link>
            <span class="muted">{[resource.kind, item.namespace, item.version].filter(Boolean).join(' · ')}</span>
          </header>
          {item.cause ? <p class={item.state === 'failed' ? 'problem' : 'note'}>{item.cause}</p> : null}
          <ul class="conditions">
            {item.conditions.map(({ type, status, reason, message }) => (
              <li key={type} class={`condition ${status}`} title={message || reason}>
                {type}
              </li>
            ))}
          </ul>
        </article>
      ))}
    </>
  );
}

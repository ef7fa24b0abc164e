import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Link } from '../components/link.tsx';
import { NamespaceSelect } from '../components/namespace-select.tsx';
import { RunTrend } from '../components/run-trend.tsx';
import { agoText } from '../components/time-text.ts';
import { DefinitionsStore } from '../../src/stores/definitions-store.ts';

/** Pipelines and Tasks, and how they went lately. */
export function PipelinesPage() {
  const { router } = useApp();
  const { namespace = '' } = router.place.value.query;
  return <PipelineList key={namespace} namespace={namespace} />;
}

function PipelineList({ namespace }: { readonly namespace: string }) {
  const { api, clock, router, schedule } = useApp();
  const store = useMemo(() => new DefinitionsStore(namespace, { api, clock, schedule }), []);
  useEffect(() => () => store.stop(), []);
  const { q: text = '' } = router.place.value.query;
  const now = clock.now();
  const shown = store.definitions.value
    .filter(({ object }) => (object.metadata.name ?? '').includes(text.toLowerCase()))
    .sort((a, b) => (b.runs[0]?.createdAt ?? 0) - (a.runs[0]?.createdAt ?? 0));
  return (
    <div class="page">
      <div class="bar-top">
        <h1>Pipelines and Tasks</h1>
        <input
          type="search"
          class="filter"
          aria-label="Filter"
          placeholder="Filter by name"
          value={text}
          onInput={(event) => router.setQuery({ q: event.currentTarget.value })}
        />
        <NamespaceSelect value={namespace} onChange={(chosen) => router.setQuery({ namespace: chosen })} />
      </div>
      {store.error.value ? <p class="problem">{store.error.value}</p> : null}
      <div class="table scroll" tabIndex={0} role="region" aria-label="Pipelines and Tasks">
        {store.isLoading.value ? <div class="loading" aria-busy="true" /> : null}
        {!store.isLoading.value && shown.length === 0 ? (
          <div class="empty">
            <h2>No Pipelines or Tasks</h2>
            <p class="muted">
              Add one with <code>kubectl apply -f pipeline.yaml</code>.
            </p>
          </div>
        ) : (
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Kind</th>
                <th scope="col">Namespace</th>
                <th scope="col">Last runs</th>
                <th scope="col">Last</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ object, description, runs }) => (
                <tr key={object.metadata.uid}>
                  <td>
                    <Link
                      to={definitionLink(object.kind, object.metadata.namespace ?? '', object.metadata.name ?? '')}
                      class="run-name"
                    >
                      {object.metadata.name}
                    </Link>
                    <div class="muted small">{description}</div>
                  </td>
                  <td class="muted">{object.kind}</td>
                  <td class="muted">{object.metadata.namespace}</td>
                  <td>
                    <RunTrend runs={runs} />
                  </td>
                  <td class="muted">{runs[0] ? agoText(runs[0].createdAt, now) : 'never'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}

export function definitionLink(kind: string, namespace: string, name: string): string {
  return `/pipelines/${kind.toLowerCase()}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

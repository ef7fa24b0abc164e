import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Link } from '../components/link.tsx';
import { NamespaceSelect } from '../components/namespace-select.tsx';
import { objectLink } from '../../src/stores/object-link.ts';
import { TableStore } from '../../src/stores/table-store.ts';
import type { Resource } from '../../src/api/resource.ts';

/** All kinds that the server has. */
export function ObjectsPage() {
  const { discovery, router } = useApp();
  const { q: text = '' } = router.place.value.query;
  useEffect(() => void discovery.load(), []);
  const resources = (discovery.resources.value ?? []).filter(({ kind, group }) =>
    `${kind} ${group}`.toLowerCase().includes(text.toLowerCase()),
  );
  const groups = [...new Set(resources.map(({ group }) => group))];
  return (
    <div class="page">
      <div class="bar-top">
        <h1>Objects</h1>
        <input
          type="search"
          class="filter"
          aria-label="Filter"
          placeholder="Filter kinds"
          value={text}
          onInput={(event) => router.setQuery({ q: event.currentTarget.value })}
        />
      </div>
      {discovery.error.value ? <p class="problem">{discovery.error.value}</p> : null}
      {discovery.resources.value ? null : <div class="loading" aria-busy="true" />}
      <div class="kinds" tabIndex={0} role="region" aria-label="Kinds">
        {groups.map((group) => (
          <section key={group} class="kind-group">
            <h2>{group || 'core'}</h2>
            <ul>
              {resources
                .filter((resource) => resource.group === group)
                .map(({ version, plural, kind }) => (
                  <li key={plural}>
                    <Link to={`/objects/${group || 'core'}/${version}/${plural}`}>{kind}</Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

/** The objects of one kind, as the server prints them. */
export function ObjectTablePage({ group, version, plural }: Resource) {
  const { router } = useApp();
  const { namespace = '' } = router.place.value.query;
  return <ObjectRows key={namespace} group={group} version={version} plural={plural} namespace={namespace} />;
}

function ObjectRows({ group, version, plural, namespace }: Resource & { readonly namespace: string }) {
  const { api, clock, discovery, router } = useApp();
  const { q: text = '' } = router.place.value.query;
  const store = useMemo(() => new TableStore({ group, version, plural }, namespace, { api, clock }), []);
  useEffect(() => () => store.stop(), []);
  const table = store.table.value;
  const error = store.error.value;
  useEffect(() => void discovery.load(), []);
  const resource = discovery.find({ group, plural });
  const rows = (table?.rows ?? []).filter(({ name }) => name.includes(text));
  const showsNamespace = resource?.isNamespaced === true && namespace === '';
  return (
    <div class="page">
      <div class="bar-top">
        <h1>{resource?.kind ?? plural}</h1>
        <span class="muted">
          {group || 'core'}/{version}
        </span>
        <input
          type="search"
          class="filter"
          aria-label="Filter"
          placeholder="Filter by name"
          value={text}
          onInput={(event) => router.setQuery({ q: event.currentTarget.value })}
        />
        {resource?.isNamespaced ? (
          <NamespaceSelect value={namespace} onChange={(chosen) => router.setQuery({ namespace: chosen })} />
        ) : null}
      </div>
      {error ? <p class="problem">{error}</p> : null}
      <div class="table scroll" tabIndex={0} role="region" aria-label={plural}>
        {table || error ? null : <div class="loading" aria-busy="true" />}
        {table && rows.length === 0 ? (
          <div class="empty">
            <h2>None</h2>
          </div>
        ) : null}
        {rows.length > 0 ? (
          <table class="list">
            <thead>
              <tr>
                {showsNamespace ? <th scope="col">Namespace</th> : null}
                {table?.columns.map(({ name, description }) => (
                  <th key={name} scope="col" title={description}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ namespace: own, name, cells }) => (
                <tr key={`${own}/${name}`}>
                  {showsNamespace ? <td class="muted">{own}</td> : null}
                  {cells.map((cell, index) => (
                    <td key={index} class={index === 0 ? '' : 'muted'}>
                      {index === 0 ? (
                        <Link to={objectLink({ group, version, plural }, own, name)} class="run-name">
                          {cell}
                        </Link>
                      ) : (
                        cell
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ) : null}
        {table?.next ? (
          <p class="pad">
            <button type="button" disabled={store.isLoadingMore.value} onClick={() => void store.more()}>
              Show more
            </button>{' '}
            <span class="muted">
              {table.rows.length.toLocaleString('en')} are shown
              {table.remaining === undefined ? '' : `, ${table.remaining.toLocaleString('en')} more exist`}
            </span>
          </p>
        ) : null}
      </div>
    </div>
  );
}

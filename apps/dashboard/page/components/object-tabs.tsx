import type { ComponentChildren } from 'preact';
import { useApp } from '../app.ts';
import type { ObjectStore } from '../../src/stores/object-store.ts';
import { ConditionList } from './condition-list.tsx';
import { EventList } from './event-list.tsx';
import { OwnerTree } from './owner-tree.tsx';
import { TabBar } from './tab-bar.tsx';
import { YamlEditor } from './yaml-editor.tsx';

interface ObjectTab {
  readonly id: string;
  readonly name: string;
  readonly body: () => ComponentChildren;
}

interface ObjectTabsProps {
  readonly title: string;
  readonly subtitle: readonly (string | undefined)[];
  readonly store: ObjectStore;
  /** In front of those that every object has. */
  readonly more?: readonly ObjectTab[];
}

/** An object: YAML to read and edit, conditions, events, the tree of its owners. */
export function ObjectTabs({ title, subtitle, store, more = [] }: ObjectTabsProps) {
  const { router } = useApp();
  const object = store.object.value;
  if (store.state.value === 'missing')
    return (
      <div class="empty">
        <h1>There is no {title}</h1>
      </div>
    );
  if (!object)
    return store.error.value ? (
      <p class="problem pad">{store.error.value}</p>
    ) : (
      <div class="loading" aria-busy="true" />
    );
  const all: readonly ObjectTab[] = [
    ...more,
    { id: 'yaml', name: 'YAML', body: () => <YamlEditor store={store} /> },
    {
      id: 'status',
      name: 'Status',
      body: () => (
        <div class="facts">
          <ConditionList object={object} />
        </div>
      ),
    },
    { id: 'tree', name: 'Tree', body: () => <OwnerTree key={object.metadata.uid} object={object} /> },
    { id: 'events', name: 'Events', body: () => <EventList key={object.metadata.uid} object={object} /> },
  ];
  const chosen = all.find(({ id }) => id === router.place.value.query.tab) ?? all[0];
  return (
    <div class="page">
      <header class="run-head">
        <div class="run-title">
          <h1>{title}</h1>
        </div>
        <p class="muted run-sub flush">
          {subtitle.filter(Boolean).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
      </header>
      <section class="run-main">
        <TabBar
          tabs={all.map(({ id, name }) => [id, name] as const)}
          chosen={chosen?.id ?? ''}
          onChoose={(id) => router.setQuery({ tab: id })}
        />
        <div
          class={`tab-body tab-${chosen?.id}`}
          role="tabpanel"
          id="tab-panel"
          tabIndex={0}
          aria-labelledby={`tab-${chosen?.id}`}
        >
          {chosen?.body()}
        </div>
      </section>
    </div>
  );
}

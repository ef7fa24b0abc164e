import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { objectLink } from '../../src/stores/object-link.ts';
import { SearchStore } from '../../src/stores/search-store.ts';

/** Finds any object by its name. The arrow keys choose, Enter opens. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, discovery, router } = useApp();
  const store = useMemo(() => new SearchStore(api, discovery), []);
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(0);
  useEffect(() => {
    dialog.current?.showModal();
    void store.load();
  }, []);
  const found = store.found.value;
  const open = (index: number) => {
    const item = found[index];
    if (!item) return;
    router.go(objectLink(item.resource, item.namespace, item.name));
    dialog.current?.close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter') open(at);
    if (step === 0) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(found.length - 1, at + step)));
  };
  return (
    <dialog
      ref={dialog}
      class="dialog search"
      aria-label="Search"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        type="search"
        role="combobox"
        list={undefined}
        aria-expanded={found.length > 0}
        aria-controls="search-found"
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        aria-label="Search all objects by name"
        placeholder="Search all objects by name, namespace or kind"
        value={store.text.value}
        onInput={(event) => {
          store.text.value = event.currentTarget.value.toLowerCase();
          setAt(0);
        }}
      />
      {store.isLoading.value ? <div class="loading" aria-busy="true" /> : null}
      <ul id="search-found" role="listbox" aria-label="Found">
        {found.map(({ resource, namespace, name }, index) => (
          <li
            key={`${resource.plural}/${namespace}/${name}`}
            id={`found-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(index)}
            onMouseMove={() => setAt(index)}
          >
            <b>{name}</b>
            <span class="muted">{[resource.kind, namespace].filter(Boolean).join(' · ')}</span>
          </li>
        ))}
      </ul>
      {store.text.value !== '' && found.length === 0 && !store.isLoading.value ? (
        <p class="muted pad">Nothing has this name.</p>
      ) : null}
    </dialog>
  );
}

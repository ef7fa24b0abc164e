import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app.ts';
import { NamespaceSelect } from './namespace-select.tsx';

interface NamespaceMenuProps {
  /** Names, separated by commas; empty for all. */
  readonly value: string;
  readonly onChange: (namespaces: string) => void;
}

/** More have too many watches. */
const maxChosen = 20;

/** All namespaces, or some of them. Users who may not list them type a name. */
export function NamespaceMenu({ value, onChange }: NamespaceMenuProps) {
  const { namespaces } = useApp();
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => void namespaces.load(), []);
  useEffect(() => {
    const close = (event: Event) => {
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      const isOutside = event.type === 'click' && !menu.current?.contains(event.target as Node);
      if (menu.current && (isEscape || isOutside)) menu.current.open = false;
    };
    addEventListener('click', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('click', close);
      removeEventListener('keydown', close);
    };
  }, []);
  const names = namespaces.names.value;
  if (names.length === 0) return <NamespaceSelect value={value} onChange={onChange} />;
  const chosen = value.split(',').filter(Boolean);
  const toggle = (name: string) =>
    onChange((chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]).join(','));
  const label =
    chosen.length === 0 ? 'All namespaces' : chosen.length === 1 ? chosen[0] : `${chosen.length} namespaces`;
  return (
    <details class="menu namespaces" ref={menu}>
      <summary class="button">{label}</summary>
      <div class="menu-body" role="group" aria-label="Namespaces">
        <label class="check">
          <input type="checkbox" checked={chosen.length === 0} onChange={() => onChange('')} />
          All namespaces
        </label>
        {[...new Set([...chosen, ...names])].sort().map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={!chosen.includes(name) && chosen.length >= maxChosen}
              onChange={() => toggle(name)}
            />
            {name}
          </label>
        ))}
      </div>
    </details>
  );
}

interface TabBarProps {
  readonly tabs: readonly (readonly [id: string, name: string])[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** Tabs. The arrow keys move between them. */
export function TabBar({ tabs, chosen, onChoose }: TabBarProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(([id]) => id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length]?.[0];
    if (!next) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" onKeyDown={onKeyDown}>
      {tabs.map(([id, name]) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={chosen === id}
          aria-controls="tab-panel"
          tabIndex={chosen === id ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

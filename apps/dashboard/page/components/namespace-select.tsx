import { useEffect } from 'preact/hooks';
import { useApp } from '../app.ts';

interface NamespaceSelectProps {
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** All namespaces or one. Users who may not list them type a name. */
export function NamespaceSelect({ value, onChange }: NamespaceSelectProps) {
  const { namespaces } = useApp();
  useEffect(() => void namespaces.load(), []);
  const names = namespaces.names.value;
  if (names.length === 0)
    return (
      <input
        aria-label="Namespace"
        placeholder="All namespaces"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <select aria-label="Namespace" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">All namespaces</option>
      {(names.includes(value) || value === '' ? names : [value, ...names]).map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

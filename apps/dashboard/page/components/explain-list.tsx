import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { ExplainStore } from '../../src/stores/explain-store.ts';

interface ExplainListProps {
  readonly path: string;
  /** Of the object: with each change of it, the reconciles are read again. */
  readonly version: string | undefined;
}

/** The recent reconciles of an object and their causes, as `tektite explain` prints them. */
export function ExplainList({ path, version }: ExplainListProps) {
  const { api } = useApp();
  const store = useMemo(() => new ExplainStore(api), []);
  useEffect(() => void store.load(path), [path, version]);
  const records = store.records.value;
  const error = store.error.value;
  if (error) return <p class="problem">{error}</p>;
  if (!records) return <div class="loading" aria-busy="true" />;
  if (records.length === 0) return <p class="muted pad">No controller of this process has reconciled this object.</p>;
  return (
    <table class="events">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Controller</th>
          <th scope="col">Result</th>
          <th scope="col">Took</th>
          <th scope="col">Because</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr
            key={`${record.controller}${record.startedAt}`}
            class={/error|timeout/i.test(record.outcome) ? 'warning' : ''}
          >
            <td class="muted number">{new Date(record.startedAt).toISOString().slice(11, 23)}</td>
            <td>{record.controller}</td>
            <td>{record.outcome}</td>
            <td class="number">{record.durationMs.toFixed(1)} ms</td>
            <td class="wide">
              {record.because}
              {record.error ? <span class="problem-text"> {record.error}</span> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

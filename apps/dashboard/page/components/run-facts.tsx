import type { KubeObject } from '@tektite/meta';
import type { ComponentChildren } from 'preact';
import { runFacts } from '../../src/stores/run-facts.ts';

/** Params, results, workspaces and labels of a run. */
export function RunFacts({ object }: { readonly object: KubeObject }) {
  const groups = runFacts(object).filter(({ rows }) => rows.length > 0);
  return (
    <div class="facts">
      {groups.map(({ title, rows }) => (
        <FactTable key={title} title={title}>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <code>{value}</code>
              </td>
            </tr>
          ))}
        </FactTable>
      ))}
    </div>
  );
}

function FactTable({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="fact-group">
      <h2>{title}</h2>
      <table>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

import type { KubeObject } from '@tektite/meta';
import { visibleText } from '../../src/run/index.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The conditions of an object, in their order. */
export function ConditionList({ object }: { readonly object: KubeObject }) {
  const { conditions = [] } = (object as { status?: { conditions?: readonly Condition[] } }).status ?? {};
  if (conditions.length === 0) return null;
  return (
    <section class="fact-group">
      <h2>Conditions</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <tr key={type} title={lastTransitionTime}>
              <th scope="row">{type}</th>
              <td class={`condition ${status}`}>{status}</td>
              <td>{reason}</td>
              <td class="wide">{visibleText(message ?? '')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

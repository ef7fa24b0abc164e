import { describeCauses, type ReconcileRecord } from '@tektite/controller';
import type { Explain } from '@tektite/dashboard';

/** Asks the status server of this process for the reconciles of an object. */
export function explainFrom(statusUrl: string): Explain {
  return async (kind, key) => {
    const response = await fetch(`${statusUrl}/explain?${new URLSearchParams({ kind, key })}`);
    if (!response.ok) throw new Error(`the status server answers ${response.status}`);
    const { records } = (await response.json()) as { readonly records: readonly ReconcileRecord[] };
    return records.map((record) => ({ ...record, because: describeCauses(record) }));
  };
}

import { describeCauses, type ReconcileRecord } from '@tektite/controller';
import type { Explain } from '@tektite/dashboard';
import type { StatusAccess } from '../observe/status-server.ts';

/** Asks the status server of this process for the reconciles of an object. */
export function explainFrom({ url, token }: StatusAccess): Explain {
  return async (kind, key) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/explain?${new URLSearchParams({ kind, key })}`, { headers });
    if (!response.ok) throw new Error(`the status server answers ${response.status}`);
    const { records } = (await response.json()) as { readonly records: readonly ReconcileRecord[] };
    return records.map((record) => ({ ...record, because: describeCauses(record) }));
  };
}

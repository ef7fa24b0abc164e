import type { KubeApi } from '../api/kube-api.ts';
import { collectionPath, type Resource, withQuery } from '../api/resource.ts';
import { visibleText } from '../run/index.ts';

export interface TableRow {
  readonly namespace: string;
  readonly name: string;
  readonly cells: readonly string[];
}

/** Objects as the server prints them: the columns of `kubectl get`. */
export interface ObjectTable {
  readonly columns: readonly { readonly name: string; readonly description: string }[];
  readonly rows: readonly TableRow[];
  /** There are more than were read. */
  readonly hasMore: boolean;
}

interface WireTable {
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly priority: number;
    readonly description?: string;
  }[];
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object?: { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
  }[];
  readonly metadata: { readonly continue?: string };
}

const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const maxRows = 1000;

/** Reads up to 1,000 objects as a table. */
export async function readTable(api: KubeApi, resource: Resource, namespace: string): Promise<ObjectTable> {
  const path = withQuery(collectionPath(resource, namespace), { limit: maxRows });
  const { columnDefinitions, rows = [], metadata } = await api.get<WireTable>(path, { accept: tableAccept });
  const shown = columnDefinitions.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  return {
    columns: shown.map((index) => ({
      name: columnDefinitions[index]?.name ?? '',
      description: columnDefinitions[index]?.description ?? '',
    })),
    rows: rows.map(({ cells, object }) => ({
      namespace: object?.metadata?.namespace ?? '',
      name: object?.metadata?.name ?? '',
      cells: shown.map((index) => visibleText(String(cells[index] ?? ''))),
    })),
    hasMore: Boolean(metadata.continue),
  };
}

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
  /** Where the next page begins; empty behind the last. */
  readonly next: string;
  readonly resourceVersion: string;
  /** How many rows are behind this page, where the server says so. */
  readonly remaining: number | undefined;
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
  readonly metadata: {
    readonly continue?: string;
    readonly resourceVersion?: string;
    readonly remainingItemCount?: number;
  };
}

const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const pageSize = 500;

/** Reads a page of a collection as a table, or one object by its path. */
export async function readTable(
  api: KubeApi,
  source: Resource | string,
  namespace = '',
  next = '',
): Promise<ObjectTable> {
  const path =
    typeof source === 'string'
      ? source
      : withQuery(collectionPath(source, namespace), { limit: pageSize, continue: next });
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
    next: metadata.continue ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    remaining: metadata.remainingItemCount,
  };
}

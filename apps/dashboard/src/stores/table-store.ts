import { signal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import { ApiError, type KubeApi } from '../api/kube-api.ts';
import { LineDecoder } from '../api/line-decoder.ts';
import { collectionPath, objectPath, type Resource, withQuery } from '../api/resource.ts';
import { type ObjectTable, readTable, type TableRow } from './object-table.ts';

export interface TableStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
}

/** Changes are collected for so long. */
const settleMs = 400;
const reopenMs = 2000;
/** More rows than these are read as a list again. */
const maxSingleRows = 20;

/**
 * The objects of a kind as the server prints them, live: in pages, as many as were asked for. A watch says which objects have changed,
 * and their rows are read again, because only the server knows the columns.
 */
export class TableStore {
  readonly table = signal<ObjectTable | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  readonly isLoadingMore = signal(false);
  private readonly resource: Resource;
  private readonly namespace: string;
  private readonly options: TableStoreOptions;
  private readonly changed = new Map<string, KubeObject>();
  private pages = 1;
  private isStopped = false;
  private closeStream: (() => void) | undefined;
  private timer: Disposable | undefined;

  constructor(resource: Resource, namespace: string, options: TableStoreOptions) {
    this.resource = resource;
    this.namespace = namespace;
    this.options = options;
    void this.open();
  }

  /** Reads another page. */
  async more(): Promise<void> {
    const table = this.table.value;
    if (!table?.next || this.isLoadingMore.value) return;
    this.isLoadingMore.value = true;
    await this.attempt(async () => {
      const page = await readTable(this.options.api, this.resource, this.namespace, table.next);
      this.pages++;
      this.table.value = { ...page, rows: merged(table.rows, page.rows) };
    });
    this.isLoadingMore.value = false;
  }

  stop(): void {
    this.isStopped = true;
    this.closeStream?.();
    this.timer?.[Symbol.dispose]();
  }

  /** Lists, then watches from there. */
  private async open(): Promise<void> {
    const isRead = await this.attempt(() => this.readPages());
    if (this.isStopped) return;
    if (isRead) this.watch();
    else this.later(reopenMs, () => void this.open());
  }

  private async readPages(): Promise<void> {
    const { api } = this.options;
    let table = await readTable(api, this.resource, this.namespace);
    for (let page = 1; page < this.pages && table.next; page++) {
      const next = await readTable(api, this.resource, this.namespace, table.next);
      table = { ...next, rows: merged(table.rows, next.rows), resourceVersion: table.resourceVersion };
    }
    this.table.value = table;
  }

  private watch(): void {
    const { resourceVersion } = this.table.value ?? {};
    const path = withQuery(collectionPath(this.resource, this.namespace), {
      watch: 1,
      allowWatchBookmarks: true,
      resourceVersion,
    });
    const lines = new LineDecoder();
    this.closeStream = this.options.api.stream(path, {
      onData: (bytes) => {
        for (const line of lines.decode(bytes)) if (line !== '') this.receive(JSON.parse(line) as WatchEvent);
      },
      onEnd: (status) => {
        // A kind that cannot be watched, or not by this user, stays as it was read.
        if (this.isStopped || [401, 403, 404, 405].includes(status?.code ?? 0)) return;
        this.later(reopenMs, () => void this.open());
      },
    });
  }

  private receive({ type, object }: WatchEvent): void {
    if (type === 'BOOKMARK' || type === 'ERROR') return;
    if (this.changed.size === 0) this.later(settleMs, () => void this.refresh());
    this.changed.set(keyOf(object.metadata.namespace, object.metadata.name), object);
  }

  private async refresh(): Promise<void> {
    const changed = [...this.changed.values()];
    this.changed.clear();
    await this.attempt(() => (changed.length > maxSingleRows ? this.readPages() : this.readRows(changed)));
  }

  private async readRows(changed: readonly KubeObject[]): Promise<void> {
    const found = await Promise.all(changed.map((object) => this.readRow(object)));
    const table = this.table.value;
    if (!table) return;
    const gone = new Set(
      changed.flatMap(({ metadata }, index) => (found[index] ? [] : [keyOf(metadata.namespace, metadata.name)])),
    );
    const kept = table.rows.filter(({ namespace, name }) => !gone.has(keyOf(namespace, name)));
    this.table.value = {
      ...table,
      rows: merged(
        kept,
        found.filter((row) => row !== undefined),
      ),
    };
  }

  private async readRow({ metadata }: KubeObject): Promise<TableRow | undefined> {
    try {
      const path = objectPath(this.resource, metadata.namespace, metadata.name ?? '');
      const { rows } = await readTable(this.options.api, path);
      return rows[0];
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.error.value = undefined;
      return true;
    } catch (error) {
      this.error.value = (error as Error).message;
      return false;
    }
  }

  private later(milliseconds: number, action: () => void): void {
    this.timer?.[Symbol.dispose]();
    this.timer = this.options.clock.setTimer(milliseconds, action);
  }
}

interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

/** Rows of the same object are replaced where they stand; new ones are put in the order of names, as lists have it. */
function merged(rows: readonly TableRow[], more: readonly TableRow[]): readonly TableRow[] {
  if (more.length === 0) return rows;
  const all = new Map(rows.map((row) => [keyOf(row.namespace, row.name), row]));
  const before = all.size;
  for (const row of more) all.set(keyOf(row.namespace, row.name), row);
  if (all.size === before) return [...all.values()];
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

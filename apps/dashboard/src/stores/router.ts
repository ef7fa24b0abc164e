import { signal } from '@preact/signals-core';

/** A place in the page: every state that can be linked to. */
export interface Place {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The part of the browser's history that is used. */
export interface HistoryPort {
  /** `/runs?state=failed` */
  current(): string;
  push(url: string): void;
  replace(url: string): void;
  onPop(listener: () => void): void;
}

/** The address of the page. */
export class Router {
  readonly place;
  private readonly history: HistoryPort;

  constructor(history: HistoryPort) {
    this.history = history;
    this.place = signal<Place>(parsePlace(history.current()));
    history.onPop(() => (this.place.value = parsePlace(history.current())));
  }

  go(url: string): void {
    this.history.push(url);
    this.place.value = parsePlace(url);
  }

  /** Changes the query without a new entry in the history; empty values leave it. */
  setQuery(changes: Readonly<Record<string, string | undefined>>): void {
    const { path, query } = this.place.value;
    const next = Object.fromEntries(
      Object.entries({ ...query, ...changes }).filter((entry): entry is [string, string] => Boolean(entry[1])),
    );
    this.history.replace(formatPlace({ path, query: next }));
    this.place.value = { path, query: next };
  }
}

export function parsePlace(url: string): Place {
  const [path = '/', query = ''] = url.split('#', 1)[0]?.split('?') ?? [];
  return { path, query: Object.fromEntries(new URLSearchParams(query)) };
}

export function formatPlace({ path, query }: Place): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

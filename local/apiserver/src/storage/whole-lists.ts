import type { StoredEntry } from './storage.ts';

const maxLists = 16;

/**
 * The latest lists of all entries below a prefix, until one of these entries is written: clients that ask for the same list share
 * one array, however slowly they read it.
 */
export class WholeLists {
  private readonly lists = new Map<string, readonly StoredEntry[]>();

  get(prefix: string, read: () => readonly StoredEntry[]): readonly StoredEntry[] {
    let entries = this.lists.get(prefix);
    if (!entries) {
      entries = read();
      if (this.lists.size >= maxLists) this.lists.delete(this.lists.keys().next().value as string);
      this.lists.set(prefix, entries);
    }
    return entries;
  }

  forget(key: string): void {
    if (this.lists.size === 0) return;
    for (const prefix of this.lists.keys()) if (key.startsWith(prefix)) this.lists.delete(prefix);
  }
}

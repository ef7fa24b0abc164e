/** Something that falls due. The heap keeps its place in it. */
export interface Due {
  readonly key: string;
  due: number;
  /** Those due at the same time leave in the order they came. */
  order: number;
  position: number;
}

/** Entries by due time, the earliest first. Adding, taking and moving forward cost the logarithm of the size. */
export class DueHeap<E extends Due> {
  private readonly entries: E[] = [];

  get size(): number {
    return this.entries.length;
  }

  first(): E | undefined {
    return this.entries[0];
  }

  push(entry: E): void {
    entry.position = this.entries.length;
    this.entries.push(entry);
    this.rise(entry);
  }

  pop(): E | undefined {
    const first = this.entries[0];
    const last = this.entries.pop();
    if (first && last && first !== last) {
      this.put(last, 0);
      this.sink(last);
    }
    return first;
  }

  /** An entry of the heap falls due earlier than before. */
  hurry(entry: E, due: number): void {
    entry.due = due;
    this.rise(entry);
  }

  clear(): void {
    this.entries.length = 0;
  }

  private rise(entry: E): void {
    while (entry.position > 0) {
      const up = (entry.position - 1) >> 1;
      const parent = this.entries[up];
      if (!parent || !isBefore(entry, parent)) return;
      this.put(parent, entry.position);
      this.put(entry, up);
    }
  }

  private sink(entry: E): void {
    for (;;) {
      const left = this.entries[2 * entry.position + 1];
      const right = this.entries[2 * entry.position + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || !isBefore(child, entry)) return;
      const { position } = child;
      this.put(child, entry.position);
      this.put(entry, position);
    }
  }

  private put(entry: E, position: number): void {
    this.entries[position] = entry;
    entry.position = position;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

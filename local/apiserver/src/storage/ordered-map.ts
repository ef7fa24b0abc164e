/**
 * A map with string keys kept in order (by UTF-16 code units).
 *
 * A list of chunks of bounded size: a lookup is two binary searches, an insert moves at most one chunk, so the cost of a
 * write stays flat as the map grows to hundreds of thousands of keys, without the bookkeeping of a tree.
 */
export class OrderedMap<V> {
  private readonly values = new Map<string, V>();
  private readonly chunks: string[][] = [[]];

  get size(): number {
    return this.values.size;
  }

  get(key: string): V | undefined {
    return this.values.get(key);
  }

  set(key: string, value: V): void {
    const before = this.values.size;
    this.values.set(key, value);
    if (this.values.size === before) return;
    const at = this.chunkFor(key);
    const chunk = this.chunks[at] as string[];
    chunk.splice(lowerBound(chunk, key), 0, key);
    if (chunk.length > chunkLimit) this.chunks.splice(at + 1, 0, chunk.splice(chunk.length >> 1));
  }

  delete(key: string): boolean {
    if (!this.values.delete(key)) return false;
    const at = this.chunkFor(key);
    const chunk = this.chunks[at] as string[];
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0 && this.chunks.length > 1) this.chunks.splice(at, 1);
    return true;
  }

  /** The entries whose key is not below `from` and starts with `prefix`, in order. Do not change the map meanwhile. */
  *range(prefix: string, from: string = prefix): Generator<[string, V]> {
    const start = from < prefix ? prefix : from;
    let at = this.chunkFor(start);
    let index = lowerBound(this.chunks[at] as string[], start);
    for (; at < this.chunks.length; at++, index = 0) {
      const chunk = this.chunks[at] as string[];
      for (; index < chunk.length; index++) {
        const key = chunk[index] as string;
        if (!key.startsWith(prefix)) return;
        yield [key, this.values.get(key) as V];
      }
    }
  }

  /** The last chunk whose first key is not above `key`. */
  private chunkFor(key: string): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (((this.chunks[middle] as string[])[0] as string) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const chunkLimit = 512;

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

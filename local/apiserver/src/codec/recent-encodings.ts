/** The latest encodings of objects, bounded by count and by length: a few large ones hold as much as thousands of small ones. */
export class RecentEncodings<E extends { readonly length: number }> {
  private readonly encodings = new Map<object, E>();
  private readonly maxCount: number;
  private readonly maxLength: number;
  private length = 0;

  constructor(maxCount: number, maxLength: number) {
    this.maxCount = maxCount;
    this.maxLength = maxLength;
  }

  get(object: object): E | undefined {
    return this.encodings.get(object);
  }

  set(object: object, encoding: E): void {
    const before = this.encodings.get(object);
    this.encodings.set(object, encoding);
    this.length += encoding.length - (before?.length ?? 0);
    while (this.encodings.size > this.maxCount || this.length > this.maxLength) {
      const [oldest, { length }] = this.encodings.entries().next().value as [object, E];
      this.encodings.delete(oldest);
      this.length -= length;
    }
  }
}

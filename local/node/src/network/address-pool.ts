const first = 2;
/** The next one is the machine's. */
const last = 65_533;

/** The numbers of Pods, each of which has one as long as it is there. One that was given back is used again as late as possible. */
export class AddressPool {
  private readonly used = new Set<number>();
  private next = first;

  /** Undefined: all are used. */
  take(): number | undefined {
    if (this.used.size > last - first) return undefined;
    while (this.used.has(this.next)) this.advance();
    const number = this.next;
    this.used.add(number);
    this.advance();
    return number;
  }

  free(number: number): void {
    this.used.delete(number);
  }

  private advance(): void {
    this.next = this.next === last ? first : this.next + 1;
  }
}

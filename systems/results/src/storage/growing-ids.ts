import { randomBytes } from 'node:crypto';

/**
 * Ids that grow: UUIDs of version 7. Upstream's are random; to clients both are opaque. Growing ones make the standard order of lists, by
 * id, that of creation, which needs no sorting.
 */
export class GrowingIds {
  private milliseconds = 0;
  private count = 0;

  /** Ids after this one. */
  startAfter(id: string): void {
    this.milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    this.count = 0xfff;
  }

  next(now: number): string {
    if (now > this.milliseconds) {
      this.milliseconds = Math.floor(now);
      this.count = 0;
    } else if (this.count < 0xfff) this.count++;
    else {
      this.milliseconds++;
      this.count = 0;
    }
    const time = this.milliseconds.toString(16).padStart(12, '0');
    const random = randomBytes(8);
    random[0] = ((random[0] as number) & 0x3f) | 0x80;
    const rest = random.toString('hex');
    const count = this.count.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${rest.slice(0, 4)}-${rest.slice(4)}`;
  }
}

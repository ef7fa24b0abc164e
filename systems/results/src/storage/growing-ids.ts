import { type Random, randomUid } from '@tektite/meta';

/**
 * Ids that grow: UUIDs of version 7. Upstream's are random; to clients both are opaque. Growing ones make the standard order of lists, by
 * id, that of creation, which needs no sorting.
 */
export class GrowingIds {
  private readonly random: Random;
  private milliseconds = 0;
  private count = 0;

  constructor(random: Random) {
    this.random = random;
  }

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
    const count = this.count.toString(16).padStart(3, '0');
    // The variant and what is random are the same in all versions.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUid(this.random).slice(19)}`;
  }
}

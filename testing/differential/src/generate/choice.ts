import type { Random } from '@tektite/meta';

/** Decisions of a generator, all of them from one seed. */
export class Choice {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** A whole number from 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Some of the values, in their order. */
  some<T>(from: readonly T[], probability = 0.5): readonly T[] {
    return from.filter(() => this.chance(probability));
  }

  times<T>(max: number, make: () => T): readonly T[] {
    return Array.from({ length: this.below(max + 1) }, make);
  }
}

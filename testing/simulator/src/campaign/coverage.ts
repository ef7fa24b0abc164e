/**
 * The features that runs have shown, and how often. From those that only one run has shown follows how likely the next run shows a new
 * one (Good and Turing): what is left to find, as far as these features tell.
 */
export class Coverage {
  private readonly counts = new Map<string, number>();
  private runs = 0;

  /** Adds the features of a run. Returns how many are new. */
  add(features: Iterable<string>): number {
    this.runs++;
    let fresh = 0;
    for (const feature of features) {
      const count = this.counts.get(feature) ?? 0;
      if (count === 0) fresh++;
      this.counts.set(feature, count + 1);
    }
    return fresh;
  }

  get size(): number {
    return this.counts.size;
  }

  /** The chance that the next run shows a feature that none has shown, at most 1. */
  get chanceOfNew(): number {
    if (this.runs === 0) return 1;
    let once = 0;
    for (const count of this.counts.values()) if (count === 1) once++;
    return Math.min(1, once / this.runs);
  }
}

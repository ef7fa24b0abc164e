/** How long it is remembered what was sent. */
const rememberedMs = 2 * 60 * 60 * 1000;
/** More than this is not remembered, however new it is. */
const mostRemembered = 100_000;

/** Remembers for two hours what was told, so that it is not told again whenever somebody looks. */
export class SentEvents {
  /** In the order of their times. */
  private readonly times = new Map<string, number>();

  /** Whether this was not told yet; it is now. */
  isNew(parts: readonly (string | undefined)[], now: number): boolean {
    for (const [key, time] of this.times) {
      if (time > now - rememberedMs && this.times.size <= mostRemembered) break;
      this.times.delete(key);
    }
    const key = JSON.stringify(parts);
    if (this.times.has(key)) return false;
    this.times.set(key, now);
    return true;
  }
}

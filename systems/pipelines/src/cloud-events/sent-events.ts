/** How long it is remembered what was sent. */
const rememberedMs = 2 * 60 * 60 * 1000;
/** More than this is not remembered, however new it is. */
const maxRemembered = 100_000;

/** Remembers sent events for two hours, so that later reconciles do not send them again. */
export class SentEvents {
  /** In the order of their times. */
  private readonly times = new Map<string, number>();

  /** Whether this was not sent yet; records it as sent. */
  isNew(parts: readonly (string | undefined)[], now: number): boolean {
    for (const [key, time] of this.times) {
      if (time > now - rememberedMs && this.times.size <= maxRemembered) break;
      this.times.delete(key);
    }
    const key = JSON.stringify(parts);
    if (this.times.has(key)) return false;
    this.times.set(key, now);
    return true;
  }
}

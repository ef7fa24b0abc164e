/** A reconcile of an object: when, by which controller, why, and with which result. */
export interface Explanation {
  readonly controller: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly because: string;
  readonly error?: string;
}

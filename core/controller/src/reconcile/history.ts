import type { MergedCauses } from '../queue/causes.ts';

/** One reconcile that was. */
export interface ReconcileRecord extends MergedCauses {
  readonly controller: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly error?: string;
  /** The time of the next reconcile without a change. */
  readonly nextAt?: number;
}

const defaultKeys = 10_000;
const perKey = 5;

/**
 * The last reconciles of each object, for `tektite explain`. Bounded: the last five of the ten thousand objects that
 * were reconciled last.
 */
export class ReconcileHistory {
  private readonly limit: number;
  /** In the order of last use. */
  private readonly byKey = new Map<string, readonly ReconcileRecord[]>();

  constructor(limit: number = defaultKeys) {
    this.limit = limit;
  }

  add(record: ReconcileRecord): void {
    const before = this.byKey.get(record.key) ?? [];
    this.byKey.delete(record.key);
    this.byKey.set(record.key, [...before.slice(1 - perKey), record]);
    if (this.byKey.size <= this.limit) return;
    for (const oldest of this.byKey.keys()) {
      this.byKey.delete(oldest);
      break;
    }
  }

  /** Oldest first. */
  of(key: string): readonly ReconcileRecord[] {
    return this.byKey.get(key) ?? [];
  }
}

/** `Deployment default/web modified ×3, Memcached default/cache added`. */
export function describeCauses({ causes, omitted }: MergedCauses): string {
  const texts = causes.map(
    ({ kind, object, change, count }) => `${kind} ${object} ${change}${count > 1 ? ` ×${count}` : ''}`,
  );
  if (omitted > 0) texts.push(`and ${omitted} more`);
  return texts.join(', ');
}

import type { Annotate } from '../audit/auditor.ts';
import type { UserInfo } from '../request/api-request.ts';
import type { StrategyContext } from '../registry/kind-strategy.ts';

/** The request context of a write. */
export interface WriteContext {
  readonly user: UserInfo;
  /** Who the changes are credited to in managedFields. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
  /** Absent where the request is not audited. */
  readonly annotate?: Annotate | undefined;
  readonly signal?: AbortSignal;
  /** Throws where the user may not create: called when an update or an apply turns out to create its object. */
  readonly authorizeCreate?: () => void;
  /** The created object is known to be valid. */
  readonly trusted?: boolean;
}

/** The part of the context that strategies receive. */
export function strategyContext({ user, dryRun }: WriteContext, now: number): StrategyContext {
  return { now, user, dryRun };
}

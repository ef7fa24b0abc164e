import type { UserInfo } from '../request/api-request.ts';
import type { StrategyContext } from '../registry/kind-strategy.ts';

/** What a write knows of the request behind it. */
export interface WriteContext {
  readonly user: UserInfo;
  /** Who the changes are credited to in managedFields. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
  readonly signal?: AbortSignal;
  /** What is created is known to be valid. */
  readonly trusted?: boolean;
}

/** What of it the rules of a kind are told. */
export function strategyContext({ user, dryRun }: WriteContext, now: number): StrategyContext {
  return { now, user, dryRun };
}

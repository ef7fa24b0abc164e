import type { ResolvedKind } from '../kind-reference.ts';

/** A resource that the server serves, as it says itself. */
export interface ApiResource extends ResolvedKind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, ... */
  readonly subresources: readonly string[];
}

/** Everything a server serves: groups in its own order, preferred versions first. */
export interface ApiSurface {
  readonly resources: readonly ApiResource[];
  /** Groups and versions that could not be asked, for instance because the server behind them is down. */
  readonly unavailable: readonly string[];
}

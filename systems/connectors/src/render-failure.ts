/** Why a Connector cannot be rendered, as its condition says it. */
export type RenderReason =
  | 'PayloadMissing'
  | 'ParseFailed'
  | 'InvalidAdditionalManifests'
  | 'FetchFailed'
  | 'DigestMismatch'
  | 'ForbiddenAdditionalObject'
  | 'WorkloadNotFound'
  | 'InvalidWorkload'
  | 'InvalidImage'
  | 'DuplicateObject'
  | 'ManifestTooLarge';

/** A rendering error that the status reports. Installed objects stay as they are. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure';
  readonly reason: RenderReason;
  /** When to try again; nothing: when something changes. */
  readonly retryMs: number | undefined;

  constructor(reason: RenderReason, message: string, options: ErrorOptions & { readonly retryMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.retryMs = options.retryMs;
  }
}

/** The resource is being fetched. Reconcile again when the ResolutionRequest changes. */
export class RemotePending extends Error {
  override readonly name = 'RemotePending';

  constructor() {
    super('resolution request is still in progress');
  }
}

/**
 * A reference cannot be resolved, now and later, and the message says why in upstream's words. Errors of another type
 * are transient.
 */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  /** `resolution`: it was not found or is no such thing. `validation`: it was found, and the API refuses it. */
  readonly stage: 'resolution' | 'validation';
  /** Whether upstream counts it among user errors, and marks its message so. */
  readonly isUserError: boolean;

  constructor(
    stage: 'resolution' | 'validation',
    message: string,
    options: ErrorOptions & { readonly isUserError?: boolean } = {},
  ) {
    super(message, options);
    this.stage = stage;
    this.isUserError = options.isUserError ?? false;
  }
}

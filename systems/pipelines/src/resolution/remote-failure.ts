import { defineErrors } from '@tektite/meta';

export const remoteFailures = defineErrors('pipelines', 'RemoteFailure', {
  REMOTE_UNUSABLE: {
    when: 'a reference to a remote Task or Pipeline cannot be resolved, or the object is invalid',
    fix: 'correct the reference or the object that the message names',
  },
  REMOTE_PENDING: {
    when: 'a remote Task or Pipeline is being fetched',
    fix: 'nothing: the run continues when its ResolutionRequest changes',
  },
});

/** The resource is being fetched. Reconcile again when the ResolutionRequest changes. */
export class RemotePending extends remoteFailures.Error {
  override readonly name = 'RemotePending';

  constructor() {
    super('REMOTE_PENDING', 'resolution request is still in progress');
  }
}

/** Whether `error` is a RemotePending. */
export function isRemotePending(error: unknown): error is RemotePending {
  return remoteFailures.is(error, 'REMOTE_PENDING');
}

/**
 * A reference cannot be resolved, now and later, and the message says why in upstream's words. Errors of another type
 * are transient.
 */
export class RemoteFailure extends remoteFailures.Error {
  /** `resolution`: it was not found or is no such thing. `validation`: it was found, and the API refuses it. */
  readonly stage: 'resolution' | 'validation';
  /** Whether upstream counts it among user errors, and marks its message so. */
  readonly isUserError: boolean;

  constructor(
    stage: 'resolution' | 'validation',
    message: string,
    options: ErrorOptions & { readonly isUserError?: boolean } = {},
  ) {
    super('REMOTE_UNUSABLE', message, options);
    this.stage = stage;
    this.isUserError = options.isUserError ?? false;
  }
}

/** Whether `error` is a RemoteFailure. */
export function isRemoteFailure(error: unknown): error is RemoteFailure {
  return remoteFailures.is(error, 'REMOTE_UNUSABLE');
}

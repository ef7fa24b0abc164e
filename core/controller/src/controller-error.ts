/** Errors of the runtime itself. Codes are stable and never reused; programs branch on them, not on texts. */
export const controllerErrorCodes = {
  INFORMER_STOPPED: 'the informer was stopped before what was waited for happened',
  INDEX_EXISTS: 'there is another index of this name',
  INDEX_UNKNOWN: 'there is no index of this name',
  TRANSFORM_FAILED: 'the transform of a cache threw; the cache keeps the last state for which it did not, if any',
  INDEX_FAILED: 'an index function threw; the object is not in that index',
  PREDICATE_FAILED: 'a predicate threw; the change causes a reconcile',
  RESULT_INVALID: 'a reconciler returned something that is no result; the object is tried again, later and later',
  RECONCILE_TIMEOUT: 'a reconcile took too long; its signal was aborted, and its object waits until it returns',
  RECONCILE_STOPPED: 'the controller was stopped while the object was being reconciled',
  WRITE_FENCED: 'a write was refused because the object is no longer this process’s to change',
  KIND_NOT_SERVED: 'the server did not accept the definition of a kind',
  CONTROLLER_EXISTS: 'there is another controller of this name',
  SOURCE_UNKNOWN: 'a reconciler asked for the cache of a source that its controller does not declare',
  WEBHOOK_FAILED: 'a webhook threw; the failure policy decides what that means for the request',
  WEBHOOK_TIMEOUT: 'a webhook did not answer in time; its signal was aborted, and the failure policy decides',
  CERTIFICATE_FAILED: 'certificates could not be read or renewed; those in use stay in use, and it is tried again',
  REGISTRATION_FAILED: 'webhooks could not be written to the API; it is tried again',
  CONFIG_NOT_READY: 'a typed ConfigMap was asked for its value before it had one',
  CONFIG_INVALID: 'a ConfigMap holds values that cannot be used; the last good ones stay in use',
  ELECTION_INVALID: 'the settings of an election are such that there could be two leaders, or none',
  LEASE_LOST: 'a lease is not, or no longer, held by this process',
  HANDLER_FAILED: 'a handler of an informer threw; others are not affected',
} as const;

export type ControllerErrorCode = keyof typeof controllerErrorCodes;

const brand = Symbol.for('tektite.ControllerError');

/** Recognise it with {@link isControllerError}. */
export class ControllerError extends Error {
  readonly code: ControllerErrorCode;
  readonly [brand] = true;

  constructor(code: ControllerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ControllerError';
    this.code = code;
  }
}

/** Whether `error` is a ControllerError, and with this code if one is given. Holds across duplicate installs. */
export function isControllerError(error: unknown, code?: ControllerErrorCode): error is ControllerError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || (error as ControllerError).code === code;
}

/** What goes wrong in the runtime itself. Codes are stable and never reused; programs branch on them, not on texts. */
export const controllerErrorCodes = {
  INFORMER_STOPPED: 'the informer was stopped before what was waited for happened',
  INDEX_EXISTS: 'there is another index of this name',
  INDEX_UNKNOWN: 'there is no index of this name',
  TRANSFORM_FAILED: 'the transform of a cache threw; the cache keeps the last state for which it did not, if any',
  INDEX_FAILED: 'an index function threw; the object is not in that index',
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

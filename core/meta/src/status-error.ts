import { type FieldError, formatFieldErrors } from './field-error.ts';
import { formatGroupKind, formatGroupResource } from './group-version-kind.ts';
import type { ListMeta } from './object.ts';

/** Why a request failed, in a word a program can branch on. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'InsufficientStorage'
  | 'RequestURITooLong'
  | 'StoreReadError'
  | 'Timeout'
  | '';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** `metav1.Status`: what the API answers when there is no object to answer with. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: ListMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Which resource, or which kind, an error is about. */
export interface ErrorTarget {
  readonly group: string;
  /** The plural (`pods`), except for {@link invalidObject}, which names the kind (`Pod`). */
  readonly resource: string;
}

const brand = Symbol.for('tektite.StatusError');

/** A failure that has, or deserves, a Status. Recognise it with {@link isStatusError}, not with `instanceof`. */
export class StatusError extends Error {
  readonly status: Status;
  readonly [brand] = true;

  constructor(status: Omit<Status, 'kind' | 'apiVersion' | 'metadata' | 'status'>, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? 'unknown failure', options);
    this.name = 'StatusError';
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status };
  }

  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}

/** Whether `error` is a StatusError, and of that reason if one is given. Holds across duplicate installs of this package. */
export function isStatusError(error: unknown, reason?: StatusReason): error is StatusError {
  return (
    typeof error === 'object' &&
    error !== null &&
    brand in error &&
    (reason === undefined || (error as StatusError).reason === reason)
  );
}

function details(target: ErrorTarget | undefined, name?: string, more: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name ? { name } : {}),
    ...(target?.group ? { group: target.group } : {}),
    ...(target?.resource ? { kind: target.resource } : {}),
    ...more,
  };
}

const nameOf = (target: ErrorTarget): string => formatGroupResource(target.group, target.resource);

export function notFoundError(target: ErrorTarget, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${nameOf(target)} "${name}" not found`,
    details: details(target, name),
  });
}

/** A path that no resource is served at. */
export function unknownPathError(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function alreadyExistsError(target: ErrorTarget, name: string): StatusError {
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${nameOf(target)} "${name}" already exists`,
    details: details(target, name),
  });
}

/** `cause` defaults to the words of a lost optimistic lock. */
export function conflictError(
  target: ErrorTarget,
  name: string,
  cause = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${nameOf(target)} "${name}": ${cause}`,
    details: details(target, name),
  });
}

export function badRequestError(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

export function unauthorizedError(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

export function forbiddenError(target: ErrorTarget | undefined, name: string, message: string): StatusError {
  const subject =
    target && target.resource !== '' ? `${nameOf(target)}${name === '' ? '' : ` "${name}"`} is forbidden` : 'forbidden';
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject}: ${message}`,
    details: details(target, name),
  });
}

/** An object that does not pass validation. The target names the kind, not the plural. */
export function invalidObjectError(
  group: string,
  kind: string,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${formatGroupKind(group, kind)} "${name}" is invalid${errors.length > 0 ? `: ${formatFieldErrors(errors)}` : ''}`,
    details: details({ group, resource: kind }, name, causes.length > 0 ? { causes } : {}),
  });
}

export function methodNotSupportedError(target: ErrorTarget, action: string): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind "${nameOf(target)}"`,
    details: details(target),
  });
}

/** A revision, or a continue token, older than what the server keeps. */
export function expiredError(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message });
}

export function tooManyRequestsError(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

export function internalServerError(message: string, cause?: unknown): StatusError {
  return new StatusError(
    {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    },
    { cause },
  );
}

/** There is no space to store an object. Kubernetes has no reason for this; the code is HTTP's own. */
export function insufficientStorageError(message: string): StatusError {
  return new StatusError({ code: 507, reason: 'InsufficientStorage', message });
}

export function serviceUnavailableError(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}

export function timeoutError(message: string, retryAfterSeconds = 0): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
  });
}

export function requestEntityTooLargeError(message: string): StatusError {
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

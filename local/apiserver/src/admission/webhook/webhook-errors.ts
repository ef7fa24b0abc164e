import { badRequestError, internalServerError, quoteGo, type Status, StatusError } from '@tektite/meta';

/** A webhook that could not be asked, or gave no usable answer. Its failure policy decides what that means. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';

  constructor(webhook: string, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${quoteGo(webhook)}: ${reason}`, options);
  }

  /** The error of the client, with the failure policy `Fail`. */
  toStatusError(): StatusError {
    return internalServerError(this.message, this);
  }
}

/** The denial of a webhook: its own Status, with its name in front and a code that is a failure. */
export function denial(webhook: string, status: Partial<Status> = {}): StatusError {
  const deniedBy = `admission webhook ${quoteGo(webhook)} denied the request`;
  const explanation = status.message || status.reason;
  const { code = 0, reason, details } = status;
  return new StatusError({
    code: code < 400 ? 400 : code,
    message: explanation ? `${deniedBy}: ${explanation}` : `${deniedBy} without explanation`,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
  });
}

export function dryRunUnsupportedError(webhook: string): StatusError {
  return badRequestError(`admission webhook ${quoteGo(webhook)} does not support dry run`);
}

/**
 * Failures before the API can answer. Codes are stable and never reused; programs branch on them, not on texts. An
 * error answer of the API is a `StatusError`.
 */
export const clientErrorCodes = {
  CONNECTION_REFUSED: 'nothing listens at the address of the server',
  CONNECTION_RESET: 'the connection was cut before the answer was complete',
  CONNECTION_STALLED: 'an open stream was silent for too long; the other side is probably gone',
  HOST_UNREACHABLE: 'the name of the server is unknown or there is no route to it',
  TLS_UNTRUSTED: 'the certificate of the server is not signed by a trusted authority, or has expired',
  TLS_WRONG_HOST: 'the certificate of the server is for another name',
  TLS_FAILED: 'the TLS handshake failed',
  TIMEOUT: 'the answer took too long',
  INVALID_RESPONSE: 'the server answered something that is not the Kubernetes API',
  INVALID_REQUEST: 'the request lacks something, such as a namespace or a name',
  INVALID_KUBECONFIG: 'a kubeconfig file cannot be read or contradicts itself',
  NO_CONFIGURATION: 'there is no kubeconfig and this process does not run in a cluster',
  CREDENTIALS_FAILED: 'a token file, certificate file or credential plugin gave nothing usable',
  UNSUPPORTED_CREDENTIALS: 'the kubeconfig asks for a way to log in that no longer exists',
  UNKNOWN_KIND: 'the server does not serve this kind',
  CLOSED: 'the client was closed',
} as const;

export type ClientErrorCode = keyof typeof clientErrorCodes;

const brand = Symbol.for('tektite.ClientError');

/** A failure of the way to the API. The message says what to do. Recognise it with {@link isClientError}. */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  readonly [brand] = true;

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClientError';
    this.code = code;
  }
}

/** Whether `error` is a ClientError, and with one of these codes if any are given. Holds across duplicate installs. */
export function isClientError(error: unknown, ...codes: readonly ClientErrorCode[]): error is ClientError {
  return (
    typeof error === 'object' &&
    error !== null &&
    brand in error &&
    (codes.length === 0 || codes.includes((error as ClientError).code))
  );
}

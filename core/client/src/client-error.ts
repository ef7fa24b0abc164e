import { type CodedError, defineErrors, type ErrorCode } from '@tektite/meta';

/** Failures before the API can answer. An error answer of the API is a `StatusError`. */
export const clientErrors = defineErrors('client', 'ClientError', {
  CONNECTION_REFUSED: {
    when: 'nothing listens at the address of the server',
    fix: 'start the server, or correct the address in the kubeconfig',
  },
  CONNECTION_RESET: {
    when: 'the connection was cut before the answer was complete',
    fix: 'try again; check proxies and load balancers on the way if it recurs',
  },
  CONNECTION_STALLED: {
    when: 'an open stream was silent for too long; the server is probably not reachable any more',
    fix: 'try again; check the network if it recurs',
  },
  HOST_UNREACHABLE: {
    when: 'the name of the server is unknown or there is no route to it',
    fix: 'correct the server name, or check DNS, VPN and routes',
  },
  TLS_UNTRUSTED: {
    when: 'the certificate of the server is not signed by a trusted authority, or has expired',
    fix: 'set certificate-authority in the kubeconfig, or renew the certificate',
  },
  TLS_WRONG_HOST: {
    when: 'the certificate of the server is for another name',
    fix: 'use a name of the certificate, or set tls-server-name in the kubeconfig',
  },
  TLS_FAILED: {
    when: 'the TLS handshake failed',
    fix: 'check that the address serves HTTPS and that the client certificate is valid',
  },
  TIMEOUT: {
    when: 'the answer took too long',
    fix: 'try again, or raise the timeout',
  },
  INVALID_RESPONSE: {
    when: 'the server answered something that is not the Kubernetes API',
    fix: 'check that the address is that of a Kubernetes API server, not of a proxy or login page',
  },
  INVALID_REQUEST: {
    when: 'the request lacks something, such as a namespace or a name',
    fix: 'set the field that the message names',
  },
  INVALID_KUBECONFIG: {
    when: 'a kubeconfig file cannot be read or contradicts itself',
    fix: 'correct the file and the entry that the message names',
  },
  NO_CONFIGURATION: {
    when: 'there is no kubeconfig and this process does not run in a cluster',
    fix: 'set KUBECONFIG or pass --kubeconfig',
  },
  CREDENTIALS_FAILED: {
    when: 'a token file, certificate file or credential plugin gave nothing usable',
    fix: 'log in again, or correct the file or plugin that the message names',
  },
  UNSUPPORTED_CREDENTIALS: {
    when: 'the kubeconfig asks for a way to log in that no longer exists',
    fix: 'use a credential plugin (exec) instead',
  },
  UNKNOWN_KIND: {
    when: 'the server does not serve this kind',
    fix: 'install the CustomResourceDefinition, or correct apiVersion and kind',
  },
  CLOSED: {
    when: 'the client was closed',
    fix: 'open a new client; close one only after its last request',
  },
});

export type ClientErrorCode = ErrorCode<typeof clientErrors>;

/** A failure of the way to the API. The message says what to do. Recognise it with {@link isClientError}. */
export const ClientError = clientErrors.Error;
export type ClientError = CodedError<ClientErrorCode>;

export const isClientError = clientErrors.is;

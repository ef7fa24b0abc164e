import { ClientError, type ClientErrorCode, isClientError } from '../client-error.ts';

/** Error codes of Node, OpenSSL and undici, mapped to codes of the client. */
const meanings: Readonly<Record<string, ClientErrorCode>> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ENOENT: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_RESET',
  ECONNABORTED: 'CONNECTION_RESET',
  EPIPE: 'CONNECTION_RESET',
  UND_ERR_SOCKET: 'CONNECTION_RESET',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'CONNECTION_RESET',
  ENOTFOUND: 'HOST_UNREACHABLE',
  EAI_AGAIN: 'HOST_UNREACHABLE',
  EHOSTUNREACH: 'HOST_UNREACHABLE',
  ENETUNREACH: 'HOST_UNREACHABLE',
  EADDRNOTAVAIL: 'HOST_UNREACHABLE',
  ETIMEDOUT: 'TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS_UNTRUSTED',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS_UNTRUSTED',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT: 'TLS_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS_UNTRUSTED',
  CERT_SIGNATURE_FAILURE: 'TLS_UNTRUSTED',
  CERT_HAS_EXPIRED: 'TLS_UNTRUSTED',
  CERT_NOT_YET_VALID: 'TLS_UNTRUSTED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS_WRONG_HOST',
  EPROTO: 'TLS_FAILED',
};

const advice: Partial<Readonly<Record<ClientErrorCode, string>>> = {
  CONNECTION_REFUSED: 'is the API server running, and is this its address and port?',
  CONNECTION_RESET: 'try again; if it persists, check the server and the proxies on the way',
  HOST_UNREACHABLE: 'check the server address in the kubeconfig and the network',
  TLS_UNTRUSTED:
    "check certificate-authority in the kubeconfig: it must be the authority that signed the server's certificate",
  TLS_WRONG_HOST: 'use a name that the certificate has, or set tls-server-name in the kubeconfig',
  TLS_FAILED: 'check that the address is an HTTPS one and that the client certificate and its key belong together',
  TIMEOUT: 'check the network; a proxy may be needed (proxy-url in the kubeconfig)',
  INVALID_RESPONSE: 'is this the address of a Kubernetes API server?',
};

/** Says in our words what a failing connection means. `server` is the address that the user knows it by. */
export function connectionError(error: unknown, server: string): Error {
  if (isClientError(error)) return error;
  const { code, message } = innermost(error);
  const meaning = meaningOf(code, message);
  if (!meaning) return error instanceof Error ? error : new Error(String(error));
  return new ClientError(meaning, `cannot talk to ${server}: ${message}; ${advice[meaning] ?? 'try again'}`, {
    cause: error,
  });
}

function meaningOf(code: string, message: string): ClientErrorCode | undefined {
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  // A plain HTTP server, or a random one, behind an https address.
  if (known === 'TLS_FAILED' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_OSSL_')) return 'TLS_FAILED';
  if (known) return known;
  if (code === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return 'INVALID_RESPONSE';
  if (code.startsWith('CERT_')) return 'TLS_UNTRUSTED';
  // A proxy that refuses to connect us.
  if (code === 'UND_ERR_ABORTED' && message.startsWith('Proxy response')) return 'HOST_UNREACHABLE';
  return undefined;
}

/** Errors of several attempts (one per address of a name) come wrapped; undici wraps those of sockets. */
function innermost(error: unknown): { code: string; message: string } {
  let current: unknown = error;
  let found = { code: '', message: error instanceof Error ? error.message : String(error) };
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    // undici's parser does not always say more than that it failed.
    const code = (current as NodeJS.ErrnoException).code ?? (current.name === 'HTTPParserError' ? current.name : '');
    if (typeof code === 'string' && code !== '') found = { code, message: current.message || code };
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return found;
}

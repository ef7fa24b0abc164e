/** An error of Node's network or TLS layer, or of undici around it. */
interface NetworkError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly valid_from?: string; readonly valid_to?: string };
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

const dialFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/**
 * Why a connection failed, in the words of Go's network and TLS libraries, which is what users of webhooks know and search
 * for. `host` is whom the certificate had to be for.
 */
export function describeTransportError(error: unknown, host: string): string {
  const cause = rootOf(error);
  const { code = '' } = cause;
  if (code === 'UND_ERR_SOCKET' || code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return 'EOF';
  const dialFailure = dialFailures[code];
  if (dialFailure !== undefined) return `dial tcp ${joinHostPort(cause)}: connect: ${dialFailure}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${cause.hostname ?? host}: no such host`;
  if (code === 'ECONNRESET')
    return cause.message.includes('before secure TLS connection') ? 'EOF' : 'read: connection reset by peer';
  if (code === 'EPIPE') return 'write: broken pipe';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return 'http: server gave HTTP response to HTTPS client';
  const invalid = certificateError(cause, host);
  return invalid === undefined ? cause.message : `tls: failed to verify certificate: x509: ${invalid}`;
}

/** undici and happy-eyeballs wrap what really happened. */
function rootOf(error: unknown): NetworkError {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  const cause = (error as { readonly cause?: unknown }).cause;
  const wrapped = error instanceof Error && cause instanceof Error && (error as NetworkError).code === undefined;
  return wrapped ? rootOf(cause) : (error as NetworkError);
}

function joinHostPort({ address = '', port = 0 }: NetworkError): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function certificateError({ code = '', cert }: NetworkError, host: string): string | undefined {
  if (unknownAuthority.has(code)) return 'certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongHost(cert?.subjectaltname ?? '', host);
  return undefined;
}

/** `subjectaltname` is Node's: `DNS:localhost, IP Address:127.0.0.1`. */
function wrongHost(subjectAltName: string, host: string): string {
  const names = subjectAltName
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const isAddress = /^[0-9.]+$/.test(host) || host.includes(':');
  const prefix = isAddress ? 'IP Address:' : 'DNS:';
  const valid = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

import { isIP } from 'node:net';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { isVouchedServer, type KeyPair } from '@tektite/certificates';
import { buildConnector } from 'undici';
import { type Dial, dialled } from './dial.ts';

export interface VerifiedConnectorOptions {
  /** Whom the certificate has to be for. */
  readonly host: string;
  /** PEM of those who may vouch for it. Without one, those whom the machine trusts. */
  readonly authorities?: string;
  /** Default yes. */
  readonly isVerified?: boolean;
  /** The certificate that is shown to the server, if any. */
  readonly identity?: KeyPair;
  readonly timeoutMs: number;
  /** Default: connections of this machine. */
  readonly dial?: Dial | undefined;
  readonly now: () => number;
}

/**
 * Connects with TLS to a server and verifies its certificate.
 *
 * Where OpenSSL reports a self-signed certificate, signatures are checked once more: see {@link isVouchedServer}.
 */
export function verifiedConnector(options: VerifiedConnectorOptions): buildConnector.connector {
  const { host, authorities, timeoutMs, identity, isVerified = true } = options;
  const secure = buildConnector({
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(isIP(host) ? {} : { servername: host }),
    ...(identity ? { cert: identity.certificate, key: identity.key } : {}),
    rejectUnauthorized: false,
    // A resumed session is not verified again.
    maxCachedSessions: 0,
    timeout: timeoutMs,
    allowH2: false,
  });
  const connect = dialled(secure, options.dial, timeoutMs);
  return (request, callback) => {
    connect(request, (error, socket) => {
      if (error) {
        callback(error, null);
        return;
      }
      const untrusted = isVerified ? verificationError(socket as TLSSocket, options) : undefined;
      if (!untrusted) {
        callback(null, socket as TLSSocket);
        return;
      }
      socket?.destroy();
      callback(untrusted, null);
    });
  };
}

function verificationError(socket: TLSSocket, options: VerifiedConnectorOptions): Error | undefined {
  const { host, authorities = '', now } = options;
  const shown = socket.getPeerX509Certificate();
  // Without a certificate there is no TLS: the API lets only https addresses be called.
  if (!shown) return Object.assign(new Error('no certificate was shown'), { code: 'UNABLE_TO_GET_ISSUER_CERT' });
  const code = socket.authorizationError as Error | string | undefined;
  const known = socket.authorized || String(code) === 'ERR_TLS_CERT_ALTNAME_INVALID';
  if (!known && !(String(code) === 'DEPTH_ZERO_SELF_SIGNED_CERT' && isVouchedServer(shown, authorities, now())))
    return Object.assign(new Error(String(code)), { code: String(code) });
  return checkServerIdentity(host, shown.toLegacyObject());
}

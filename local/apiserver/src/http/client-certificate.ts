import type { TLSSocket } from 'node:tls';
import type { ServerRequest } from '@tektite/http';
import { systemClock } from '@tektite/meta';
import type { ApiRequest } from '../request/api-request.ts';

export interface ShownCertificate {
  readonly certificate?: NonNullable<ApiRequest['clientCertificate']>;
  readonly bad?: boolean;
  /** When it expires, in milliseconds: connections may last longer than certificates. */
  readonly ends?: number;
}

/** The certificate of each connection, which cannot change. */
const shown = new WeakMap<object, ShownCertificate>();

export function clientCertificate(request: ServerRequest): ShownCertificate {
  const connection = request.stream?.session ?? request.socket;
  let known = shown.get(connection);
  if (!known)
    shown.set(connection, (known = readCertificate((request.stream?.session?.socket ?? request.socket) as TLSSocket)));
  return known.ends !== undefined && known.ends < systemClock.now() ? { bad: true } : known;
}

function readCertificate(socket: TLSSocket): ShownCertificate {
  const { subject, fingerprint256, valid_to: end } = socket.getPeerCertificate();
  if (!subject) return {};
  if (!socket.authorized) return { bad: true };
  const organizations = subject.O as string | string[] | undefined;
  return {
    ends: Date.parse(end),
    certificate: {
      commonName: String(subject.CN ?? ''),
      organizations: organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations],
      fingerprint: fingerprint256,
    },
  };
}

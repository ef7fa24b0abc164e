import type { IncomingRequest } from './connection.ts';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@tektite/meta';
import type { ApiRequest } from '../request/api-request.ts';

export interface ShownCertificate {
  readonly certificate?: NonNullable<ApiRequest['clientCertificate']>;
  readonly bad?: boolean;
  /** When it expires, in milliseconds: connections may last longer than certificates. */
  readonly ends?: number;
}

/** The facts about a connection. They cannot change. */
interface Peer extends ShownCertificate {
  readonly address: string | undefined;
}

const peers = new WeakMap<object, Peer>();

/** The certificate that the client of a request has shown. */
export function clientCertificate(request: IncomingRequest): ShownCertificate {
  const peer = peerOf(request);
  return peer.ends !== undefined && peer.ends < systemClock.now() ? { bad: true } : peer;
}

/** The address that a request came from. */
export function remoteAddress(request: IncomingRequest): string | undefined {
  return peerOf(request).address;
}

function peerOf(request: IncomingRequest): Peer {
  const session = request.stream?.session;
  const connection = session ?? request.socket;
  let peer = connection && peers.get(connection);
  if (!connection) return { address: undefined };
  if (!peer) {
    const socket = (session?.socket ?? connection) as TLSSocket;
    peers.set(connection, (peer = { ...readCertificate(socket), address: socket.remoteAddress }));
  }
  return peer;
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

import type { IncomingRequest } from './connection.ts';
import { anonymous } from '../auth/authenticator.ts';
import { clientCertificate, remoteAddress } from './client-certificate.ts';

const maxKnown = 10_000;

/**
 * Names the client of a request before it is authenticated: the user that its credentials belonged to the last time, else the
 * credentials, else the address. For fairness only, not for access.
 */
export class KnownUsers {
  private readonly users = new Map<string, string>();

  clientOf(request: IncomingRequest): string {
    const key = credentialKey(request);
    return this.users.get(key) ?? key;
  }

  authenticated(request: IncomingRequest, user: string): void {
    if (user === anonymous.name) return;
    if (this.users.size >= maxKnown) this.users.clear();
    this.users.set(credentialKey(request), user);
  }
}

function credentialKey(request: IncomingRequest): string {
  const { certificate } = clientCertificate(request);
  return certificate?.fingerprint ?? request.headers.authorization ?? remoteAddress(request) ?? '';
}

import { isStatusError, unauthorizedError } from '@tektite/meta';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';

/** Recognises one kind of credential. */
export interface Authenticator {
  /** Who the request is from; `undefined` when it brings no credential of this kind; throws when the credential is bad. */
  authenticate(request: ApiRequest): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** The user of a request without credentials. */
export const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The token of an `Authorization: Bearer` header. */
export function bearerToken(request: ApiRequest): string | undefined {
  const match = /^bearer +(.*)$/i.exec(request.headers.authorization?.trim() ?? '');
  return match?.[1]?.trim() || undefined;
}

/** Adds the group of all authenticated users. */
export function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes('system:authenticated')) return user;
  return { ...user, groups: [...user.groups, 'system:authenticated'] };
}

/**
 * Tries authenticators in order; the first that recognises the request decides. An unknown token is rejected, and so is
 * a bad certificate, unless a token makes up for it; a request without either is anonymous.
 */
export class AuthenticatorChain {
  private readonly authenticators: readonly Authenticator[];

  constructor(authenticators: readonly Authenticator[]) {
    this.authenticators = authenticators;
  }

  async authenticate(request: ApiRequest): Promise<UserInfo> {
    if (request.user) return request.user;
    let refused = false;
    for (const authenticator of this.authenticators) {
      try {
        const user = await authenticator.authenticate(request);
        if (user) return authenticated(user);
      } catch (error) {
        if (!isStatusError(error, 'Unauthorized')) throw error;
        refused = true;
      }
    }
    if (refused || bearerToken(request) !== undefined) throw unauthorizedError();
    return anonymous;
  }
}

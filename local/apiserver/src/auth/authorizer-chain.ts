import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.ts';

/** Allows a request that one of its authorizers allows. The reasons of a denial are those of all of them, one in each line. */
export class AuthorizerChain implements Authorizer {
  private readonly authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.authorizers = authorizers;
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    let reason = '';
    for (const authorizer of this.authorizers) {
      const decision = authorizer.authorize(attributes);
      if (decision.allowed) return decision;
      if (decision.reason !== '') reason = reason === '' ? decision.reason : `${reason}\n${decision.reason}`;
    }
    return { allowed: false, reason };
  }
}

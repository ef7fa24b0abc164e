import { type Authorizer, attributesOf, forbiddenRequestError } from '../auth/authorizer.ts';
import type { RequestContext } from './request-context.ts';

/** Denies an update or an apply that would create its object to users who may not create it. */
export function createAuthorizer(authorizer: Authorizer, { user, info }: RequestContext): () => void {
  return () => {
    const attributes = { ...attributesOf(user, info), verb: 'create' };
    const { allowed, reason } = authorizer.authorize(attributes);
    if (!allowed) throw forbiddenRequestError(attributes, reason);
  };
}

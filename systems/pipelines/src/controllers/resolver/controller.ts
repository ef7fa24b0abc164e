import { type ControllerDefinition, defineController } from '@tektite/controller';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { ResolutionRequest, type ResolutionRequestObject, resolverTypeLabel } from '../../kinds/resolution-request.ts';
import { ResolverCache } from '../../resolution/resolver-cache.ts';
import type { Resolver, ResolverSettings } from '../../resolution/resolver.ts';
import { writeAnswer, writeFailure } from './act.ts';
import { keyText, ResolverFailure, validateResource, validRequest } from './decide.ts';
import { fetchResource } from './observe.ts';

/** More than is resolved in the time that a slow place takes; the requests of a place that answers do not wait for it. */
const concurrency = 32;

/**
 * Answers requests: gives each to the resolver that its label names, and writes what this found, or why it found nothing, into the
 * status. Requests for other resolvers are left alone.
 */
export function resolverController(resolvers: readonly Resolver[], settings: ResolverSettings): ControllerDefinition {
  const byType = new Map(resolvers.map((resolver) => [resolver.type, resolver]));
  const caching = { cache: new ResolverCache(), settings };
  return defineController<ResolutionRequestObject>({
    name: 'resolvers',
    kind: ResolutionRequest,
    concurrency,
    async reconcile(object, context) {
      const resolver = byType.get(object.metadata.labels?.[resolverTypeLabel] ?? '');
      if (!resolver || isCompleted(object.status) || object.status?.data) return;
      try {
        const request = validRequest(resolver, object, settings);
        const found = await fetchResource(resolver, request, keyText(object), context, caching);
        validateResource(found, resolver, object);
        await writeAnswer(object, found, context);
      } catch (error) {
        if (!(error instanceof ResolverFailure)) throw error;
        await writeFailure(object, error.message, context);
      }
    },
  });
}

import type { ReconcileContext } from '@tektite/controller';
import { StatusError } from '@tektite/meta';
import { type ResolverCache, usesCache } from '../../resolution/resolver-cache.ts';
import type { ResolvedResource, Resolver, ResolverRequest, ResolverSettings } from '../../resolution/resolver.ts';
import { isRetried, ResolverFailure } from './decide.ts';

const defaultTimeoutMs = 60_000;

/** Fetches a resource within the timeout of its resolver, from the cache where the request allows it. */
export async function fetchResource(
  resolver: Resolver,
  request: ResolverRequest,
  key: string,
  context: ReconcileContext,
  caching: { readonly cache: ResolverCache; readonly settings: Pick<ResolverSettings, 'authorities' | 'cache'> },
): Promise<ResolvedResource> {
  const overtime = new AbortController();
  const timeout = () =>
    overtime.abort(new StatusError({ code: 504, reason: 'Timeout', message: 'context deadline exceeded' }));
  using _timer = context.clock.setTimer(resolver.timeoutMs?.(request) ?? defaultTimeoutMs, timeout);
  const signal = AbortSignal.any([context.signal, overtime.signal]);
  const { client, clock, random } = context;
  const { cache, settings } = caching;
  const place = { client, clock, random, signal, authorities: settings.authorities() };
  const resolve = () => resolver.resolve(request, place);
  try {
    return await (usesCache(resolver, request)
      ? cache.get(resolver, request, settings.cache(), clock, resolve)
      : resolve());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isRetried(error)) throw error;
    throw new ResolverFailure(`error getting "${resolver.name}" "${key}": ${(error as Error).message}`);
  }
}

import { createHash } from 'node:crypto';
import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { type Clock, formatTime } from '@tektite/meta';
import type { ParamValue } from '../kinds/param.ts';
import type { ResolvedResource, Resolver, ResolverConfig, ResolverRequest } from './resolver.ts';

const modes = ['always', 'never', 'auto'] as const;

/** Throws for a request whose parameter `cache` is none of the modes. */
export function validateCacheMode({ params }: ResolverRequest): void {
  const mode = params.get('cache') ?? '';
  if (mode === '' || (modes as readonly string[]).includes(mode)) return;
  throw new Error(`invalid cache mode '${mode}', must be one of: [${modes.join(' ')}] (or empty for default)`);
}

/** Whether a request's answer is kept. By default, when it can never be another one. */
export function usesCache(resolver: Resolver, request: ResolverRequest): boolean {
  if (!resolver.isImmutable) return false;
  const mode = request.params.get('cache') || request.config['default-cache-mode'] || 'auto';
  if (mode === 'always') return true;
  return mode === 'never' ? false : resolver.isImmutable(request);
}

interface Entry {
  readonly resource: ResolvedResource;
  readonly expires: number;
}

/**
 * Answers of resolvers, for a while. Concurrent equal requests share one answer. Errors are not kept.
 *
 * Answers are not shared between namespaces: they may depend on the credentials of the namespace. Upstream's cache does
 * not make this difference.
 */
export class ResolverCache {
  /** The one that was used the longest time ago is the first. */
  private readonly entries = new Map<string, Entry>();
  private readonly flights = new Map<string, Promise<ResolvedResource>>();

  /** The cached answer, or the result of `resolve`. `config` is the ConfigMap of the cache. */
  async get(
    resolver: Resolver,
    request: ResolverRequest,
    config: ResolverConfig,
    clock: Clock,
    resolve: () => Promise<ResolvedResource>,
  ): Promise<ResolvedResource> {
    const key = cacheKeyOf(resolver.type, request);
    const known = this.entries.get(key);
    this.entries.delete(key);
    if (known && known.expires > clock.now()) {
      this.entries.set(key, known);
      return this.annotated(known.resource, resolver.type, 'retrieve', clock);
    }
    return this.flights.get(key) ?? this.fly(key, resolver, request, config, clock, resolve);
  }

  private fly(
    key: string,
    { type }: Resolver,
    request: ResolverRequest,
    config: ResolverConfig,
    clock: Clock,
    resolve: () => Promise<ResolvedResource>,
  ): Promise<ResolvedResource> {
    const flight = resolve()
      .then((found) => {
        const resource = this.annotated(found, type, 'store', clock);
        const ttl = milliseconds(request.config.ttl) ?? milliseconds(config.ttl) ?? 300_000;
        this.entries.set(key, { resource, expires: clock.now() + ttl });
        this.shrink(config);
        return resource;
      })
      .finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }

  private shrink(config: ResolverConfig): void {
    const size = Number(config['max-size'] ?? '');
    const maxEntries = Number.isInteger(size) && size > 0 ? size : 1000;
    for (const key of this.entries.keys()) {
      if (this.entries.size <= maxEntries) return;
      this.entries.delete(key);
    }
  }

  private annotated(
    resource: ResolvedResource,
    type: string,
    operation: 'store' | 'retrieve',
    clock: Clock,
  ): ResolvedResource {
    const annotations = {
      ...resource.annotations,
      'resolution.tekton.dev/cached': 'true',
      'resolution.tekton.dev/cache-timestamp': formatTime(clock.now()),
      'resolution.tekton.dev/cache-resolver-type': type,
      'resolution.tekton.dev/cache-operation': operation,
    };
    return { ...resource, annotations };
  }
}

function milliseconds(text: string | undefined): number | undefined {
  try {
    const value = goDurationToMilliseconds(parseGoDuration(text ?? ''));
    return value > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function cacheKeyOf(type: string, { namespace, spec }: ResolverRequest): string {
  const params = (spec.params ?? [])
    .filter(({ name }) => name !== 'cache')
    .map(({ name, value }) => [name, sorted(value)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([type, namespace, params, spec.url ?? '']))
    .digest('hex');
}

function sorted(value: ParamValue): unknown {
  return typeof value === 'string' || Array.isArray(value)
    ? value
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

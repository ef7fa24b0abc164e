import type { Client } from '@tektite/client';
import type { Clock, Random } from '@tektite/meta';
import type { ResolutionRequestSpec } from '../kinds/resolution-request.ts';
import type { RefSource } from '../kinds/run-status.ts';

/** The request to a resolver. */
export interface ResolverRequest {
  /** Where the run is. Credentials are read there. */
  readonly namespace: string;
  readonly spec: ResolutionRequestSpec;
  /** Parameters that are texts, by their names; those that are no texts are empty. */
  readonly params: ReadonlyMap<string, string>;
  /** The ConfigMap of the resolver, as it is now. */
  readonly config: ResolverConfig;
}

export type ResolverConfig = Readonly<Record<string, string>>;

/** The dependencies of a resolver. */
export interface ResolverPlace {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the timeout expires. */
  readonly signal: AbortSignal;
  /** Certificate authorities of registries, PEM, besides the usual ones. */
  readonly authorities?: string;
}

/** The resolved resource. */
export interface ResolvedResource {
  readonly data: Uint8Array;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly refSource?: RefSource;
}

/**
 * Fetches objects from one sort of place. Errors that it throws become the message of the request; transient
 * errors of the API are retried instead.
 */
export interface Resolver {
  /** The label of the requests that it answers. */
  readonly type: string;
  /** As messages call it. */
  readonly name: string;
  /** The name of its ConfigMap. */
  readonly configName: string;
  /** As it is shipped. */
  readonly defaultConfig: ResolverConfig;
  /** Throws an error that names the problem of a request. Does no I/O. */
  validate(request: ResolverRequest): void;
  resolve(request: ResolverRequest, place: ResolverPlace): Promise<ResolvedResource>;
  /** Whether the same request always has the same answer. Only resolvers with this function keep answers. */
  isImmutable?(request: ResolverRequest): boolean;
  /** How long it may take. Default a minute. */
  timeoutMs?(request: ResolverRequest): number;
}

/** The settings of resolvers in force. */
export interface ResolverSettings {
  isEnabled(type: string): boolean;
  config(resolver: Resolver): ResolverConfig;
  cache(): ResolverConfig;
  /** Certificate authorities of registries, PEM, besides the usual ones. */
  authorities(): string;
}

/** The cache: informers that follow the API, stores with indexes, transforms. */
export { cacheKey, type CachedObject } from './cached-object.ts';
export type { HandlerOptions, InformerHandler } from './handler-set.ts';
export type { InformerHealth } from './informer-health.ts';
export { type InformerLease, InformerSet } from './informer-set.ts';
export { Informer, type InformerOptions } from './informer.ts';
export { metadataTransport } from './metadata-transport.ts';
export { type InformerSource, ReadYourWrites } from './read-your-writes.ts';
export type { IndexFunction } from './store-index.ts';
export type { ReadonlyStore } from './store.ts';
export {
  type Fields,
  metadataOnly,
  type ObjectMetadata,
  project,
  type ProjectedObject,
  strip,
  type Stripped,
  type Transform,
  withoutManagedFields,
} from './transform.ts';

/** Tekton Results as a system: an archive of completed runs, and its API. */

export {
  readerAccount,
  resultsVersion,
  type ResultsOptions,
  resultsSystem,
  serviceName,
  urlAnnotation,
} from './system.ts';

// Storages
export { EmbeddedStorage } from './storage/embedded/embedded-storage.ts';
export { PostgresStorage } from './storage/postgres/postgres-storage.ts';
export type { ResultsStorage } from './storage/storage.ts';

// The API
export { type ResultsServerOptions, startResultsServer } from './server/results-server.ts';

import type { Client } from '@tektite/client';
import type { Logger } from '../logger.ts';
import { definitionsOf } from './definitions.ts';
import { migrateStorage } from './migrate-storage.ts';
import type { System } from './system.ts';

/**
 * Migrates the stored objects of systems that were just installed, one definition after the other, while their controllers work.
 * Errors are logged, no more: the next start continues. Returns the handle that ends it.
 */
export function migrateSystems(client: Client, systems: readonly System[], log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const names = definitionsOf(systems.flatMap(({ kinds }) => kinds)).map(({ metadata }) => metadata.name ?? '');
  const work = migrateAll(client, names, log, stopping.signal);
  return () => {
    stopping.abort(new Error('the systems were stopped'));
    return work;
  };
}

async function migrateAll(client: Client, names: readonly string[], log: Logger, signal: AbortSignal): Promise<void> {
  for (const definition of names) {
    if (signal.aborted) return;
    try {
      const outcome = await migrateStorage(client, definition, signal);
      if (!outcome) continue;
      const { from, to, migrated, failed } = outcome;
      const fields = { definition, from, to, objects: migrated };
      if (failed.length === 0) log.info('migrated stored objects', fields);
      else log.error('stored objects were not migrated', { ...fields, failed: failed.length, error: failed[0]?.error });
    } catch (error) {
      if (!signal.aborted) log.error('stored objects were not migrated', { definition, error: error as Error });
    }
  }
}

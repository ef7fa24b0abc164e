import { describe, it } from 'vitest';
import { storageCases } from '../storage.cases.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { findPostgres, startPostgres } from './test-support.ts';

if (findPostgres() === undefined)
  describe('results in PostgreSQL', () =>
    it.skip("Debian's package postgresql is absent; not tested", () => undefined));
else
  storageCases('in PostgreSQL', async () => {
    const server = await startPostgres();
    const storage = await PostgresStorage.open(server.config);
    const dispose = storage[Symbol.asyncDispose].bind(storage);
    return Object.assign(storage, {
      async [Symbol.asyncDispose]() {
        await dispose();
        await server[Symbol.asyncDispose]();
      },
    });
  });

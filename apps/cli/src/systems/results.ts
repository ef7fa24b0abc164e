import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System } from '@tektite/controller';
import { PostgresStorage, resultsSystem } from '@tektite/results';
import { defaultDataDir } from '../option-values.ts';
import { listenAddress } from './listen-address.ts';
import { UserError } from '../user-error.ts';
import type { SystemSettings } from './system-settings.ts';

const namespace = process.env.SYSTEM_NAMESPACE;
/** Where the archive is, if not in the data folder of this command. */
const folder = process.env.TEKTITE_RESULTS_DIR;
/** In a Pod, the Service of the archive leads to this port. */
const listenVariable = 'TEKTITE_RESULTS_ADDRESS';

/** Tekton Results. The archive is beside the state of `tektite up`; in a Pod, in the volume that `TEKTITE_RESULTS_DIR` names. */
export function resultsFor({ dataDir = defaultDataDir(), inMemory = false }: SystemSettings): System {
  const listen = process.env[listenVariable];
  const database = databaseOf(process.env);
  return resultsSystem({
    folder: folder ?? (inMemory ? join(tmpdir(), `tektite-results-${process.pid}`) : join(dataDir, 'results')),
    isTemporary: folder === undefined && inMemory,
    ...(namespace ? { namespace } : {}),
    ...(listen ? { listen: listenAddress(listenVariable, listen) } : {}),
    ...(database ? { openStorage: () => PostgresStorage.open(database) } : {}),
  });
}

type Database = Parameters<typeof PostgresStorage.open>[0];

/** The database of an address, or of upstream's variables. */
export function databaseOf(env: Readonly<Record<string, string | undefined>>): Database | undefined {
  const { TEKTITE_RESULTS_DATABASE: url, DB_HOST: host, DB_USER, DB_PASSWORD, DB_NAME, DB_PORT, DB_SSLMODE } = env;
  if (url) {
    if (!/^postgres(?:ql)?:\/\//.test(url))
      throw new UserError('TEKTITE_RESULTS_DATABASE must be an address such as postgres://USER:PASSWORD@HOST/DATABASE');
    return { connectionString: url };
  }
  if (!host) return undefined;
  if (!DB_USER || !DB_PASSWORD) throw new UserError('Must provide both DB_USER and DB_PASSWORD');
  const query = DB_SSLMODE && DB_SSLMODE !== 'disable' ? `?sslmode=${encodeURIComponent(DB_SSLMODE)}` : '';
  const user = `${encodeURIComponent(DB_USER)}:${encodeURIComponent(DB_PASSWORD)}`;
  const name = encodeURIComponent(DB_NAME || 'tekton-results');
  return { connectionString: `postgres://${user}@${host}:${DB_PORT || '5432'}/${name}${query}` };
}

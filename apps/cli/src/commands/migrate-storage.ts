import type { Client } from '@tektite/client';
import {
  definitionsOf,
  isControllerError,
  migrateStorage,
  type StorageMigration,
  storeVersion,
} from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import { builtInSystems } from '../catalog/built-in-systems.ts';
import { loadSystems } from '../catalog/load-systems.ts';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface MigrateStorageOptions extends ClusterChoice {
  readonly to?: string;
}

/** `tektite migrate-storage`: has objects written in the version that their definition stores now. */
export async function migrateStorageOf(names: readonly string[], options: MigrateStorageOptions): Promise<void> {
  const { to } = options;
  if (to !== undefined && names.length === 0) throw new UserError('--to: name the definitions that are to store it', 2);
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped; run it again to go on', 130)));
  try {
    const migration = { names, to, signal: abort.signal };
    const outcomes = await withCluster(options, (client) => migrateEach(client, migration));
    if (outcomes.length === 0) process.stdout.write('nothing to migrate: objects are stored in one version each\n');
    if (outcomes.some(({ failed }) => failed.length > 0))
      throw new UserError('not all objects were migrated; versions of before stay in use', 1);
  } finally {
    stopped.ignore();
  }
}

interface Migration {
  readonly names: readonly string[];
  readonly to: string | undefined;
  readonly signal: AbortSignal;
}

async function migrateEach(client: Client, migration: Migration): Promise<readonly StorageMigration[]> {
  const outcomes: StorageMigration[] = [];
  for (const name of migration.names.length > 0 ? migration.names : await ownDefinitions()) {
    const outcome = await migrate(client, name, migration);
    if (!outcome) continue;
    outcomes.push(outcome);
    print(outcome);
  }
  return outcomes;
}

async function ownDefinitions(): Promise<readonly string[]> {
  const names = builtInSystems.filter(({ isPart }) => !isPart).map(({ name }) => name);
  const systems = await loadSystems(names.join(','));
  return definitionsOf(systems.flatMap(({ kinds }) => kinds)).map(({ metadata }) => metadata.name ?? '');
}

async function migrate(
  client: Client,
  name: string,
  { names, to, signal }: Migration,
): Promise<StorageMigration | undefined> {
  try {
    if (to !== undefined) await storeVersion(client, name, to, signal);
    return await migrateStorage(client, name, signal);
  } catch (error) {
    if (isControllerError(error, 'VERSION_NOT_SERVED')) throw new UserError(error.message);
    if (!isStatusError(error, 'NotFound')) throw error;
    if (names.length === 0) return undefined;
    throw new UserError(`there is no definition ${name}; give names as in \`kubectl get crds\``);
  }
}

function print({ definition, from, to, migrated, failed }: StorageMigration): void {
  for (const { object, error } of failed) process.stderr.write(`${definition}: ${object}: ${error.message}\n`);
  const objects = `${migrated} ${migrated === 1 ? 'object is' : 'objects are'} stored as ${to}`;
  const rest = failed.length === 0 ? `nothing is stored as ${from.join(', ')}` : `${failed.length} failed`;
  process.stdout.write(`${definition}: ${objects}, ${rest}\n`);
}

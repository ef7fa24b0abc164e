import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import type { InstallerSets } from '../installer-set/installer-sets.ts';
import { keys } from '../installer-set/set-keys.ts';
import type { Platform } from '../platform/platform.ts';
import { migrateTekton } from './storage-migration.ts';

const oldTypes = ['custom-clustertask', 'custom-communityclustertask', 'custom-versionedclustertask'];
const versionedTypes = ['custom-versionedresolvertask', 'custom-versionedresolverstepaction'];

/** The migrations after all components have the new version. */
export async function runPostUpgrade(
  client: Client,
  sets: InstallerSets,
  platform: Platform,
  log: Logger,
): Promise<void> {
  await migrateTekton(client, log);
  if (platform !== 'openshift') return;
  await sets.remove('TektonAddon', ...oldTypes);
  // The tasks of the last two versions stay, because pipelines name them with their version.
  for (const type of versionedTypes) {
    const made = [...sets.of('TektonAddon', type)].sort((a, b) =>
      (a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1,
    );
    await sets.deleteAll(made.slice(2).filter(({ metadata }) => metadata.labels?.[keys.type] === type));
  }
}

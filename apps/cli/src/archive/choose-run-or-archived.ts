import type { Client } from '@tektite/client';
import { chooseRun, type RunChoice } from '../run/choose-run.ts';
import { type FoundRun, MissingRunError } from '../run/find-run.ts';
import { ArchiveClient } from './archive-client.ts';
import { type ArchivedRun, findArchivedRun } from './archived-runs.ts';

/** A run of the cluster; or one of the archive, which is open until the caller closes it. */
export type RunOrArchived = { readonly run: FoundRun } | (ArchivedRun & { readonly archive: ArchiveClient });

/** Finds the run that the command line names, also when it was deleted since. */
export async function chooseRunOrArchived(
  client: Client,
  name: string | undefined,
  choice: RunChoice,
): Promise<RunOrArchived> {
  try {
    return { run: await chooseRun(client, name, choice) };
  } catch (error) {
    if (!(error instanceof MissingRunError) || name === undefined) throw error;
    const archive = await ArchiveClient.find(client);
    const found = archive && (await findArchivedRun(archive, name, choice.namespace));
    if (archive && found) return { ...found, archive };
    await archive?.[Symbol.asyncDispose]();
    throw error;
  }
}

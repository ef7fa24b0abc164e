import { linesOf } from '@tektite/client';
import { UserError } from '../user-error.ts';
import type { ArchiveClient } from './archive-client.ts';
import { type ArchivedRun, archivedLog } from './archived-runs.ts';

export interface ArchivedLogOptions {
  readonly task?: string;
  readonly step?: string;
  readonly output: string;
}

/** Prints the archived log of a run, or those of its lines that are of a task or a step. */
export async function printArchivedLog(
  { archive, ...found }: ArchivedRun & { readonly archive: ArchiveClient },
  { task, step, output }: ArchivedLogOptions,
): Promise<void> {
  await using _ = archive;
  if (output !== 'text') throw new UserError(`-o ${output}: the run is in the archive, whose logs are text`, 2);
  for await (const line of linesOf(await archivedLog(archive, found))) {
    const [, lineTask, lineStep] = /^\[(?:(.+?) : )?([^\]]+)\] /.exec(line) ?? [];
    const isWanted = (task === undefined || lineTask === task) && (step === undefined || lineStep === step);
    if (isWanted) process.stdout.write(`${line}\n`);
  }
}

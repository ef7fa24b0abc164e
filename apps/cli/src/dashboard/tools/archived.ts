import type { Client } from '@tektite/client';
import { runFilterTerms, type ToolAnswers, type ToolInput } from '@tektite/dashboard';
import type { KubeObject } from '@tektite/meta';
import { ArchiveClient } from '../../archive/archive-client.ts';
import { archivedParts, archivedRuns, findArchivedRun } from '../../archive/archived-runs.ts';
import { UserError } from '../../user-error.ts';

/** More are found with a filter. */
const maxRuns = 200;
/** A longer log is for `tektite logs`. */
const maxLogBytes = 8_000_000;

/** The newest runs of the archive. Names and labels of the filter are the archive's work; the page filters by the rest. */
export async function newestRuns(client: Client, input: ToolInput): Promise<ToolAnswers['archived-runs']> {
  const { namespaces = '', filter = '' } = input;
  await using archive = await ArchiveClient.open(client);
  const runs: KubeObject[] = [];
  let hasMore = false;
  for (const namespace of namespaces.split(',')) {
    let count = 0;
    const selection = { ...runFilterTerms(filter), ...(namespace === '' ? {} : { namespace }) };
    for await (const run of archivedRuns(archive, selection)) {
      if (count++ === maxRuns) {
        hasMore = true;
        break;
      }
      runs.push(run);
    }
  }
  return { runs, hasMore };
}

/** A run that was deleted, and its parts. A cluster without an archive has none. */
export async function runWithParts(client: Client, input: ToolInput): Promise<ToolAnswers['archived-run']> {
  const { kind = '', namespace = '', name = '', uid } = input;
  await using archive = await ArchiveClient.find(client);
  const found = archive && (await findArchivedRun(archive, `${kind}/${name}`, namespace, uid));
  if (!archive || !found) return { parts: [] };
  const parts: KubeObject[] = [];
  if (kind === 'PipelineRun') for await (const part of archivedParts(archive, found.result)) parts.push(part);
  return { run: found.run, parts };
}

/** A log of the archive. The name is an annotation, which who edits a run can set: it must be of the namespace of the run. */
export async function logText(client: Client, input: ToolInput): Promise<ToolAnswers['archived-log']> {
  const { namespace = '', log = '' } = input;
  const [, owner] = /^([\w-]+)\/results\/[\w-]+\/logs\/[\w-]+$/.exec(log) ?? [];
  if (owner === undefined || owner !== namespace) throw new UserError(`no log of the namespace ${namespace}: ${log}`);
  await using archive = await ArchiveClient.open(client);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await archive.log(log)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxLogBytes) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, maxLogBytes).toString(), isCut: size > maxLogBytes };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compactPath, isFolderError, RevisionStore, SegmentJournal } from '@tektite/apiserver';
import { httpTransport } from '@tektite/client';
import { type ClusterChoice, clusterConfig } from '../cluster/open-cluster.ts';
import { processOn } from '../up-record.ts';
import { UserError } from '../user-error.ts';

/** `tektite compact`: makes a control plane forget old revisions, through its API or, when it does not run, in its folder. */
export async function compact(choice: ClusterChoice): Promise<void> {
  const folder = stoppedFolder(choice);
  if (folder) await compactFolder(folder);
  else await compactServer(choice);
}

/** The state of a data folder on which no control plane runs; `undefined` when a cluster is meant. */
function stoppedFolder({ kubeconfig, context, dataDir }: ClusterChoice): string | undefined {
  if (kubeconfig || context || !dataDir || process.env.KUBECONFIG) return undefined;
  const folder = join(dataDir, 'state');
  return existsSync(folder) && !processOn(dataDir) ? folder : undefined;
}

async function compactServer(choice: ClusterChoice): Promise<void> {
  const config = await clusterConfig(choice);
  const transport = httpTransport(config);
  try {
    const { status, body } = await transport.request({ method: 'POST', path: compactPath });
    const { compactedRevision, message } = (body ?? {}) as { compactedRevision?: number; message?: string };
    if (status !== 200) throw new UserError(`${config.server} refused the compaction: ${message ?? status}`);
    process.stdout.write(`compacted: revisions before ${compactedRevision} are no longer served\n`);
  } finally {
    await transport.close();
  }
}

async function compactFolder(folder: string): Promise<void> {
  const note = (text: string) => void process.stderr.write(`note: ${text}\n`);
  try {
    const journal = await SegmentJournal.open(folder, { onNotice: note });
    const storage = new RevisionStore({ journal });
    const before = journal.size;
    await storage.compact(storage.revision);
    await journal.cleanAll(storage);
    process.stdout.write(
      `compacted: revisions before ${storage.revision} are deleted, ${megabytes(before)} → ${megabytes(journal.size)}\n`,
    );
    await storage.close();
  } catch (error) {
    throw isFolderError(error) ? new UserError(error.message) : error;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

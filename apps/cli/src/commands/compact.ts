import { compactPath } from '@tektite/apiserver';
import { httpTransport } from '@tektite/client';
import { type ClusterChoice, clusterConfig } from '../cluster/open-cluster.ts';
import { UserError } from '../user-error.ts';

/** `tektite compact`: makes a running control plane forget old revisions. */
export async function compact(choice: ClusterChoice): Promise<void> {
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

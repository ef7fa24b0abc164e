import { listRevisions, readRevision, type Revision } from '@tektite/manifest';
import { humanDuration } from '@tektite/meta';
import type { ClusterChoice } from '../cluster/open-cluster.ts';
import { putOut } from '../manifest-output.ts';
import { manifestSession } from '../manifest/manifest-session.ts';
import { readNumber, UserError } from '../user-error.ts';
import { type Column, textTable } from '../text-table.ts';

export interface HistoryCommandOptions extends ClusterChoice {
  readonly namespace: string;
  readonly show?: string;
  readonly output: string;
}

/** `tektite history`: what was applied as a set, and when. */
export async function history(name: string, options: HistoryCommandOptions): Promise<void> {
  await manifestSession({ ...options, output: 'text' }, async ({ client, signal }) => {
    const set = { name, namespace: options.namespace };
    if (options.show !== undefined) {
      const wanted = readNumber('--show', options.show, 1, 999_999_999);
      const { manifest } = await readRevision(client, set, wanted, signal);
      await putOut(manifest.objects, { output: options.output === 'text' ? 'yaml' : options.output, command: '' });
      return;
    }
    const revisions = await listRevisions(client, set, signal);
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(revisions, undefined, 2)}\n`);
      return;
    }
    if (revisions.length === 0) throw new UserError(`there is no set ${name} in the namespace ${options.namespace}`);
    const now = client.clock.now();
    process.stdout.write(textTable(columnsAt(now), revisions));
  });
}

function columnsAt(now: number): readonly Column<Revision>[] {
  return [
    { heading: 'REVISION', cell: ({ revision }) => String(revision) },
    { heading: 'AGE', cell: ({ appliedAt }) => humanDuration(now - Date.parse(appliedAt)) },
    { heading: 'OBJECTS', cell: ({ objects }) => String(objects) },
    { heading: 'CHANGES', cell: ({ summary }) => summary },
    { heading: 'SOURCES', cell: ({ sources }) => sources.join(', ') },
  ];
}

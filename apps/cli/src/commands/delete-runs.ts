import { ignoreNotFound } from '@tektite/client';
import { conditionOf } from '@tektite/dashboard/run';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { chooseRun, listRuns, type RunChoice } from '../run/choose-run.ts';
import type { FoundRun } from '../run/find-run.ts';
import { type RunKind, runKinds } from '../input/run-kinds.ts';
import { readNumber, UserError } from '../user-error.ts';

export interface DeleteRunsOptions extends ClusterChoice, RunChoice {
  readonly completed?: boolean;
  readonly selector?: string;
  readonly keep?: string;
}

/** `tektite delete run`: deletes runs with their Pods; a run under way is stopped by that. */
export async function deleteRuns(names: readonly string[], options: DeleteRunsOptions): Promise<void> {
  const keep = options.keep === undefined ? 0 : readNumber('--keep', options.keep, 0, 999_999_999);
  if (names.length > 0 && options.completed)
    throw new UserError('name runs, or --completed for all that have completed, not both', 2);
  if (!options.completed && (options.keep !== undefined || options.selector !== undefined))
    throw new UserError('--keep and --selector go with --completed', 2);
  await withCluster(options, async (client) => {
    const runs: FoundRun[] = [];
    if (options.completed) {
      const { namespace, selector } = options;
      const all = await listRuns(client, { namespace, ...(selector ? { labelSelector: selector } : {}) });
      runs.push(...all.filter((run) => (conditionOf(run)?.status ?? 'Unknown') !== 'Unknown').slice(keep));
    } else {
      for (const name of names.length > 0 ? names : [undefined]) runs.push(await chooseRun(client, name, options));
    }
    for (const { kind, metadata } of runs) {
      const { namespace = '', name = '' } = metadata;
      const deletion = client.delete(
        runKinds[kind as RunKind],
        { namespace, name },
        { propagationPolicy: 'Background' },
      );
      // Another client may be faster.
      if (await deletion.catch(ignoreNotFound)) process.stdout.write(`${kind} ${name} deleted\n`);
    }
    if (runs.length === 0) process.stdout.write(`No completed runs in namespace ${options.namespace}.\n`);
  });
}

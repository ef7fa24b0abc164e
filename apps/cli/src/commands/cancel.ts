import { type CancelMode, cancelStatus, conditionOf } from '@tektite/dashboard/run';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { cancelRun } from '../run/cancel-run.ts';
import { chooseRun, type RunChoice } from '../run/choose-run.ts';
import type { RunKind } from '../input/run-kinds.ts';
import { UserError } from '../user-error.ts';

export interface CancelOptions extends ClusterChoice, RunChoice {
  readonly mode: string;
}

const modes: readonly CancelMode[] = ['now', 'run-finally', 'stop'];

/** `tektite cancel RUN`: requests the cancellation of a run. */
export async function cancel(name: string | undefined, options: CancelOptions): Promise<void> {
  const mode = modes.find((each) => each === options.mode);
  if (!mode) throw new UserError(`--mode must be one of ${modes.join(', ')}, not ${JSON.stringify(options.mode)}`);
  await withCluster(options, async (client) => {
    const run = await chooseRun(client, name, options);
    const { kind, metadata } = run;
    const what = `${kind} ${metadata.name}`;
    const { status = 'Unknown', reason } = conditionOf(run) ?? {};
    if (status !== 'Unknown') throw new UserError(`${what} has completed: ${reason}`);
    if (cancelStatus(kind, mode) === undefined)
      throw new UserError(`a ${kind} has no --mode ${mode}: only PipelineRuns have final tasks`);
    await cancelRun(client, kind as RunKind, { namespace: options.namespace, name: metadata.name ?? '' }, mode);
    process.stdout.write(`${what}: cancellation requested\n`);
  });
}

import type { ReconcileContext } from '@tektite/controller';
import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { resultsSidecar, sidecarContainer } from '../../../pod/container-names.ts';
import { needsResultsSidecar } from '../../../pod/sidecar-containers.ts';
import { readResultsLog, ResultTooLarge } from '../../../status/results-log.ts';
import type { TerminationEntry } from '../../../status/termination-message.ts';
import { keyOfPod } from '../task-run-options.ts';

/** Reads the results from the log of the results sidecar; empty where a Pod has no such sidecar or has not started. */
export async function observeResultsLog(
  pod: CachedPod,
  task: TaskSpec,
  flags: FeatureFlags,
  { client, signal }: ReconcileContext,
): Promise<readonly TerminationEntry[] | ResultTooLarge> {
  if (!needsResultsSidecar(task, flags)) return [];
  if ((pod.status?.phase ?? 'Pending') === 'Pending') return [];
  const container = sidecarContainer(resultsSidecar);
  // The Pod may be older than the setting.
  const { containers, initContainers } = pod.spec ?? {};
  if (![...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === container)) return [];
  const log = await client.log(keyOfPod(pod), { container, signal });
  try {
    return await readResultsLog(log, flags.maxResultSize);
  } catch (error) {
    if (error instanceof ResultTooLarge) return error;
    throw error;
  }
}

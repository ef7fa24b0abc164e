import { equalJson } from '@tektite/meta';
import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { SidecarState, TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { stoppedSidecarStates } from '../../../status/step-states.ts';

/** The states of stopped sidecars that a status does not report yet; undefined when it is up to date. */
export function reportedSidecars(
  { sidecars = [] }: TaskRunStatus,
  pod: CachedPod,
): readonly SidecarState[] | undefined {
  if (!sidecars.some(({ terminated }) => !terminated)) return undefined;
  const next = stoppedSidecarStates(pod);
  return equalJson(sidecars, next) ? undefined : next;
}

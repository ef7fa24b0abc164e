import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Pod, Taint } from '@tektite/schema/kubernetes';
import { tolerates } from '../scheduler/tolerations.ts';

/** When a Pod has to leave a node with these taints; undefined when it may stay. */
export function evictionTime({ spec }: Pod, taints: readonly Taint[], now: number): number | undefined {
  let due: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const tolerations = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (tolerations.length === 0) return now;
    const patience = tolerations.flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [Number(tolerationSeconds)],
    );
    if (patience.length === 0) continue;
    const since = taint.timeAdded ? instantToMilliseconds(parseTime(taint.timeAdded)) : now;
    const end = since + Math.max(0, Math.min(...patience)) * 1000;
    due = Math.min(due ?? end, end);
  }
  return due;
}

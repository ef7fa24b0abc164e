import type { Deployment, Pod, ReplicaSet } from '@tektite/schema/kubernetes';
import { needsUpdate, revisionOf } from './revision.ts';
import { isRolling, type Rollout, wantedOf } from './rollout.ts';
import { emptyOld, growCurrent, isScalingEvent, type Resize, rescale, shrinkOld } from './scale.ts';

/** The next thing to do for a Deployment. Small on purpose: what follows is decided on what the API then shows. */
export type Step =
  | { readonly type: 'create' }
  | { readonly type: 'update' }
  | { readonly type: 'resize'; readonly resizes: readonly Resize[] }
  | { readonly type: 'rest' };

const resize = (resizes: readonly Resize[]): Step =>
  resizes.length > 0 ? { type: 'resize', resizes } : { type: 'rest' };

/** `oldPods` are those of earlier templates, whatever their state. */
export function nextStep(rollout: Rollout, oldPods: readonly Pod[]): Step {
  const { deployment, current } = rollout;
  if (deployment.metadata.deletionTimestamp !== undefined) return { type: 'rest' };
  if (deployment.spec?.paused) return resize(rescale(rollout));
  if (isScalingEvent(rollout)) {
    if (needsUpdate(rollout)) return { type: 'update' };
    const step = resize(rescale(rollout));
    if (step.type === 'resize') return step;
  }
  if (!isRolling(deployment)) {
    const emptied = emptyOld(rollout);
    if (emptied.length > 0) return { type: 'resize', resizes: emptied };
    if (oldPods.some(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded'))
      return { type: 'rest' };
  }
  if (!current) return { type: 'create' };
  if (needsUpdate(rollout)) return { type: 'update' };
  const grown = growCurrent(rollout);
  if (grown.length > 0 || !isRolling(deployment)) return resize(grown);
  return resize(shrinkOld(rollout));
}

/** How many Pods the first ReplicaSet of a template begins with. */
export function initialReplicas(rollout: Rollout, placeholder: ReplicaSet): number {
  const [grown] = growCurrent({ ...rollout, current: placeholder });
  return grown?.replicas ?? 0;
}

/** Old ReplicaSets beyond the limit of history, oldest revisions first. */
export function outdated({ deployment, old }: Rollout): readonly ReplicaSet[] {
  const limit = historyLimit(deployment);
  if (limit === undefined) return [];
  const idle = old.filter(
    ({ metadata, status, spec }) =>
      metadata.deletionTimestamp === undefined &&
      (status?.replicas ?? 0) === 0 &&
      wantedOf({ spec } as ReplicaSet) === 0 &&
      (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
  );
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  const surplus = alive - limit;
  if (surplus <= 0) return [];
  return idle.toSorted((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : 1)).slice(0, surplus);
}

function historyLimit({ spec }: Deployment): number | undefined {
  const limit = spec?.revisionHistoryLimit;
  return limit === undefined || limit === 2 ** 31 - 1 ? undefined : limit;
}

import { instantToMilliseconds, parseTime, setCondition } from '@tektite/meta';
import type { Pod, PodDisruptionBudget } from '@tektite/schema/kubernetes';
import { portion } from '../deployments/rollout.ts';
import { isReady } from '../pods/pod-state.ts';

type BudgetStatus = NonNullable<PodDisruptionBudget['status']>;
type BudgetCondition = NonNullable<BudgetStatus['conditions']>[number];

/** How long an eviction counts as a disruption while the Pod is not deleted yet. */
const evictionPatienceMs = 120_000;

export interface BudgetPlan {
  readonly status: BudgetStatus;
  /** When the word of the next one runs out. */
  readonly wakeAt: number | undefined;
}

/** How many Pods a budget lets go. `scale` is how many there should be, by those who control them. */
export function planBudget(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  scale: number,
  now: { readonly milliseconds: number; readonly text: string },
): BudgetPlan {
  const { spec, metadata } = budget;
  const isPercent = typeof spec?.minAvailable === 'string';
  const usesScale = spec?.maxUnavailable !== undefined || isPercent;
  const expected = usesScale ? scale : pods.length;
  const desired =
    spec?.maxUnavailable !== undefined
      ? Math.max(0, expected - portion(spec.maxUnavailable, expected, Math.ceil))
      : portion(spec?.minAvailable ?? 0, expected, Math.ceil);
  const { disrupted, wakeAt } = stillDisrupted(budget, pods, now.milliseconds);
  const healthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !disrupted.has(pod.metadata.name ?? '') && isReady(pod),
  ).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? ('True' as const) : ('False' as const),
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: metadata.generation ?? 0,
  };
  const before = (budget.status?.conditions ?? []) as Parameters<typeof setCondition>[0];
  return {
    wakeAt,
    status: {
      ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
      ...(disrupted.size > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: setCondition(before, condition, now.text) as readonly BudgetCondition[],
    },
  };
}

function stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disrupted = new Map<string, string>();
  let wakeAt: number | undefined;
  for (const [name, time] of Object.entries(status?.disruptedPods ?? {})) {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    const end = instantToMilliseconds(parseTime(time)) + evictionPatienceMs;
    if (!pod || pod.metadata.deletionTimestamp !== undefined || end <= now) continue;
    disrupted.set(name, time);
    wakeAt = Math.min(wakeAt ?? end, end);
  }
  return { disrupted, wakeAt };
}

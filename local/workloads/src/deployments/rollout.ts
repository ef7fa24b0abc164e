import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Deployment, ReplicaSet } from '@tektite/schema/kubernetes';
import { equalTemplates } from './template-hash.ts';

/** A Deployment and its ReplicaSets: the one of the current template, and those of earlier ones, oldest first. */
export interface Rollout {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export function rolloutOf(deployment: Deployment, replicaSets: readonly ReplicaSet[]): Rollout {
  const sorted = replicaSets.toSorted(byAge);
  const current = sorted.find(({ spec }) => equalTemplates(spec?.template, deployment.spec?.template));
  return { deployment, current, old: sorted.filter((each) => each !== current) };
}

function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

export function wantedOf({ spec }: Pick<Deployment | ReplicaSet, 'spec'>): number {
  return spec?.replicas ?? 1;
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function sum<T>(items: Iterable<T>, amount: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += amount(item);
  return total;
}

export function allOf({ current, old }: Rollout): readonly ReplicaSet[] {
  return current ? [...old, current] : old;
}

export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== 'Recreate';
}

/** How many Pods may be there beyond what is wanted, and how many may be missing. Never both none: nothing could move. */
export function tolerance({ spec }: Deployment): { readonly surge: number; readonly unavailable: number } {
  const replicas = spec?.replicas ?? 1;
  if (spec?.strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec?.strategy?.rollingUpdate ?? {};
  const surge = portion(maxSurge, replicas, Math.ceil);
  const unavailable = portion(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A number, or a part of `whole` such as `25%`. */
export function portion(value: number | string, whole: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^([0-9]+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : round((Number(percent) * whole) / 100);
}

/** How many Pods may be missing in the end; upstream never lets that exceed what is wanted. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = wantedOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  return Math.min(tolerance(deployment).unavailable, replicas);
}

export function timeOf(text: string | undefined): number {
  return text ? instantToMilliseconds(parseTime(text)) : 0;
}
